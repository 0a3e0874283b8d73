import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const code = globSync(['{src,test,bench,prove,console,webapp,sdk}/**/*.{ts,tsx}', 'src/**/*.{js,sql}', 'bin/*.js'], {
  cwd: root,
}).filter((path) => basename(path) !== 'citations.test.ts' && !path.startsWith('sdk/types/'))
const docs = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('{docs,bench,systemd}/**/*.md', { cwd: root }),
  ...globSync('{config/*.yaml,systemd/*}', { cwd: root }),
]

/** The law: a rule stands on one of these pages. */
const law = ['rules.md', 'sms.md', 'devices.md', 'preparing.md', 'access.md', 'keeping.md']

/** What may be cited of the reference pages: their explicit anchors. */
const anchors: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...law, 'protocol.md', 'limits.md'].map((page) => [
    page,
    new Set([...read(`docs/reference/${page}`).matchAll(/^<a id="([^"]+)"><\/a>$/gm)].map(([, id]) => id!)),
  ]),
)
const records = globSync('docs/adr/*.md', { cwd: root }).map((path) => basename(path))
const pages = new Set(globSync('docs/**/*.{md,yml}', { cwd: root }))

/** The citations in `text` with no target. */
function broken(text: string): readonly string[] {
  const found: string[] = []
  for (const [cited, page, anchor] of text.matchAll(
    /\b((?:rules|sms|devices|preparing|access|keeping|protocol|limits)\.md)#([\w-]+)/g,
  )) {
    if (!anchors.get(page!)!.has(anchor!)) found.push(cited)
  }
  for (const [cited, number] of text.matchAll(/\bADRs? (\d{4})\b/g)) {
    if (!records.some((name) => name.startsWith(`${number}-`))) found.push(cited)
  }
  for (const [cited, name] of text.matchAll(/\badr\/([\w-]+\.md)/g)) {
    if (!records.includes(name!)) found.push(cited)
  }
  for (const [cited] of text.matchAll(/(?<![\w/])docs\/[\w/-]+\.(?:md|yml)/g)) {
    if (!pages.has(cited)) found.push(cited)
  }
  return found
}

test('every rule, decision record and page cited in code or docs exists', () => {
  assert.ok(code.length > 400 && docs.length > 20 && records.length > 20)
  const found = [...code, ...docs].flatMap((path) => broken(read(path)).map((cited) => `${path}: ${cited}`))
  // Migrations never change: in these two, `access.md#shifts` is meant.
  assert.deepEqual(
    found.filter((one) => !/-shifts\.sql: rules\.md#shifts$/.test(one)),
    [],
  )
})

test('control: a missing anchor, record and page are found', () => {
  assert.deepEqual(broken('rules.md#re-alarm, protocol.md#events, ADR 0019, docs/adr/0003-the-gate.md'), [])
  assert.deepEqual(broken('rules.md#re-alarms'), ['rules.md#re-alarms'])
  assert.deepEqual(broken('rules.md#webhook, protocol.md#webhook'), ['rules.md#webhook'])
  assert.deepEqual(broken('access.md#sessions, keeping.md#clock, limits.md#mqtt'), [])
  assert.deepEqual(broken('rules.md#clock, access.md#clock'), ['rules.md#clock', 'access.md#clock'])
  assert.deepEqual(broken('ADR 0999'), ['ADR 0999'])
  assert.deepEqual(broken('[gate](adr/0003-the-fence.md)'), ['adr/0003-the-fence.md'])
  assert.deepEqual(broken('docs/operations.md'), ['docs/operations.md'])
})

test('no anchor occurs twice, neither in the pages of the law nor in another page', () => {
  for (const [pages, least] of [
    [law, 70],
    [['protocol.md'], 15],
    [['limits.md'], 4],
  ] as const) {
    const ids = pages.flatMap((page) =>
      [...read(`docs/reference/${page}`).matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!),
    )
    assert.deepEqual(
      ids.filter((id, place) => ids.indexOf(id) !== place),
      [],
    )
    assert.ok(ids.length > least, pages.join())
  }
})

test('every type that the glossary names is exported somewhere in src', () => {
  const rows = read('docs/glossary.md').matchAll(/^\|.*\| ([^|]+) \|$/gm)
  const named = [...rows].flatMap(([, carriers]) => [...carriers!.matchAll(/`([A-Z]\w+)/g)].map(([, name]) => name!))
  const sources = code.filter((path) => path.startsWith('src/')).map(read)
  const exported = new Set(
    sources.flatMap((source) =>
      [...source.matchAll(/^export (?:type|class|const|function) (\w+)/gm)].map(([, name]) => name!),
    ),
  )
  assert.ok(named.length > 40 && !exported.has('Incidents'))
  assert.deepEqual(
    named.filter((name) => !exported.has(name)),
    [],
  )
})

/** References to pages outside the repository. */
const FOREIGN = /\bDecisions \d|\bSpec, [A-Z]|\bDesign, "/

test('the code cites nothing outside the repository', () => {
  const foreign = [...code, ...docs].flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, place) => (FOREIGN.test(line) ? [`${path}:${place + 1}`] : [])),
  )
  assert.deepEqual(foreign, [])
})

const WIDTH = 120

/** The line numbers of comment lines in `text` that are too wide. A directive must stay on one line. */
function tooWide(text: string): readonly number[] {
  let inBlock = false
  return text.split('\n').flatMap((line, place) => {
    const start = line.trimStart()
    const opens = start.startsWith('/*')
    const isComment = inBlock || opens || start.startsWith('//')
    inBlock = (inBlock || opens) && !start.includes('*/')
    return isComment && line.length > WIDTH && !start.startsWith('// biome-ignore') ? [place + 1] : []
  })
}

test('comments keep to 120 columns', () => {
  const wide = code.flatMap((path) => tooWide(read(path)).map((line) => `${path}:${line}`))
  assert.deepEqual(wide, [])
})

test('control: a comment that is too wide is found', () => {
  const long = 'x'.repeat(WIDTH)
  const text = ['/** short */', `const code = '${long}'`, `// ${long}`, '/**', ` * ${long}`, ' */', `  ${long}`].join(
    '\n',
  )
  assert.deepEqual(tooWide(text), [3, 5])
})
