import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BARE =
  /\b(?:npm (?:i|install|add|exec)|npx|yarn add|pnpm (?:add|i|install))(?: -\S+)* ["']?(?:@tocsin\/\S+|tocsin)(?=[\s"'`@]|$)/

test('no page installs a package by a name that nobody has registered: anybody could', () => {
  const pages = globSync(['*.md', '{docs,sdk,bench,systemd}/**/*.md', 'packaging/**/*'], { cwd: ROOT }).filter((path) =>
    /\.(?:md|ts|sh)$/.test(path),
  )
  assert.ok(pages.length > 50)
  const found = pages.filter((path) => BARE.test(readFileSync(join(ROOT, path), 'utf8')))
  assert.deepEqual(found, [])
})

test('control: a bare name is found, a file or an address is not', () => {
  for (const bare of [
    'npm install @tocsin/sdk',
    'npm i --save @tocsin/sdk@1',
    'npx tocsin demo',
    'yarn add @tocsin/sdk',
  ]) {
    assert.match(bare, BARE)
  }
  for (const fine of [
    'npm install https://sos.example.org/sdk.tgz',
    'npx ./tocsin-0.2.0.tgz demo',
    "from '@tocsin/sdk'",
  ]) {
    assert.doesNotMatch(fine, BARE)
  }
})
