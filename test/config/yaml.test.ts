import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { forgetYaml, yaml } from '../../src/config/yaml.ts'

const loaded = (): readonly string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/node_modules/yaml/'))

test('a service lets go of the YAML parser, and reads YAML again when it has to', () => {
  const parser = yaml()
  assert.deepEqual(parser.parse('http: { port: 80 }'), { http: { port: 80 } })
  assert.ok(loaded().length > 50, 'the control: its files are seen')
  assert.equal(yaml(), parser, 'and loaded once')
  forgetYaml()
  assert.deepEqual(loaded(), [])
  assert.deepEqual(yaml().parse('on: [1, 2]'), { on: [1, 2] })
  assert.notEqual(yaml(), parser)
})
