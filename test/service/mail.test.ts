import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url))

/** The files that load what `pattern` names as soon as they are loaded themselves. */
const loading = (pattern: RegExp): readonly string[] =>
  globSync('**/*.ts', { cwd: SOURCES }).filter((file) =>
    readFileSync(`${SOURCES}${file}`, 'utf8')
      .split('\n')
      .some((line) => /^(import|export) (?!type )/.test(line) && pattern.test(line)),
  )

test('the code for mail is loaded only where a mail server is set up', () => {
  const own = loading(/from 'nodemailer/)
  assert.ok(own.length > 0)
  assert.deepEqual(
    own.filter((file) => !file.startsWith('adapters/outbound/smtp/')),
    [],
  )
  // Within the room its files load one another.
  assert.deepEqual(loading(/outbound\/smtp\//), [])
})
