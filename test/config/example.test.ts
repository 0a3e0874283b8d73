import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { configKeys } from '../../src/config/keys.ts'
import { at, isTree, type Tree } from '../../src/config/tree.ts'
import { configOf, problemText } from '../../src/config.ts'

const example = readFileSync(new URL('../../config/tocsin.example.yaml', import.meta.url), 'utf8')

/** The example with every setting enabled. Explanations have one space after their #, settings none or several. */
const switchedOn = example.replace(/^#(?! \S)(?=.)/gm, '')
const tree: Tree = parse(switchedOn)

/** Paths of everything in `found` that is a setting: a key of the schema, or a leaf that the schema does not know. */
function paths(found: unknown, path: readonly string[] = []): readonly string[] {
  const known = configKeys.some((key) => key.path.join('.') === path.join('.'))
  if (known || !isTree(found)) return [path.join('.')]
  return Object.entries(found).flatMap(([key, value]) => paths(value, [...path, key]))
}

test('the unchanged example changes nothing', () => {
  assert.equal(parse(example), null)
})

test('the example lists exactly the keys of the schema, in their order', () => {
  assert.deepEqual(
    paths(tree),
    configKeys.map(({ path }) => path.join('.')),
  )
})

test('the example with everything enabled is a valid configuration', () => {
  const configured = configOf(tree, {}, '/srv')
  assert.deepEqual('problems' in configured ? configured.problems.map(problemText) : [], [])
})

const defaults = configOf({}, {}, '/')
const shown = configOf(tree, {}, '/')
for (const { path } of configKeys) {
  const key = path.join('.')
  test(`the example shows the default of ${key}, or an example if there is none`, () => {
    assert.ok('config' in defaults && 'config' in shown)
    const value = at(defaults.config as Tree, path)
    if (value === null) assert.notEqual(at(shown.config as Tree, path), null)
    else assert.deepEqual(at(shown.config as Tree, path), value)
  })
}

test('each key of the example has its own explanation or that of its group above it', () => {
  const unexplained = example.split('\n\n').filter((part) => /^#(?! \S)./m.test(part) && !/^# \S/m.test(part))
  assert.deepEqual(unexplained, [])
})
