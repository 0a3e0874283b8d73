import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../src/adapters/stores/sqlite/open-store.ts'
import { defaultSettings } from '../../src/core/account/settings.ts'
import { commandLine } from './command-line.ts'

test('a text is set, listed, shown with the application and removed again', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const place = ['--language', 'de', '--key', 'alarm']
  const text = 'HILFE für {who}!'
  const set = await answer('app', 'text', 'set', appId, ...place, '--text', text)
  assert.deepEqual(set, { language: 'de', key: 'alarm', text, warnings: [] })
  assert.deepEqual((await answer('app', 'show', appId)).texts, { de: { alarm: text } })
  assert.match((await tocsin('app', 'show', appId)).stdout, /text de alarm +HILFE für \{who\}!/)
  const listed = await answer('app', 'text', 'list', appId, '--language', 'de')
  assert.deepEqual(
    listed.filter((row: { own: boolean }) => row.own),
    [{ language: 'de', key: 'alarm', text, placeholders: ['who'], own: true }],
  )
  const removed = await answer('app', 'text', 'remove', appId, ...place)
  assert.match(removed.text, /^SOS: \{who\} braucht/)
  assert.deepEqual((await answer('app', 'show', appId)).texts, {})
  const again = await tocsin('app', 'text', 'remove', appId, ...place)
  assert.deepEqual([again.code, again.stderr], [1, 'error: alarm (de) already uses the built-in text\n'])
})

test('a text of an earlier version is shown and can be removed, but no longer set', async (t) => {
  const { answer, tocsin, dataDir } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const store = await openStore({
    dataDir,
    defaults: defaultSettings,
    leaveNotices: true,
    writesOnDemand: true,
    log: { info() {}, warn() {}, error() {} },
    meter: { count() {}, observe() {} },
  })
  await store.setText(appId, 'de', 'times', 'Um {pressed} und {received} UTC.')
  await store.close()
  const place = ['--language', 'de', '--key', 'times']
  assert.match((await tocsin('app', 'show', appId)).stdout, /text de times +Um \{pressed\}/)
  const refused = await tocsin('app', 'text', 'set', appId, ...place, '--text', '{pressed} {received}')
  assert.equal(refused.code, 2)
  const removed = await answer('app', 'text', 'remove', appId, ...place)
  assert.deepEqual(removed, { language: 'de', key: 'times', text: null, removed: true })
  assert.deepEqual((await answer('app', 'show', appId)).texts, {})
})

test('a misleading text is refused, and a more expensive one causes a warning', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const set = (text: string) =>
    tocsin('app', 'text', 'set', appId, '--language', 'en', '--key', 'alarm', '--text', text)
  const without = await set('Help!')
  assert.deepEqual([without.code, without.stderr], [1, 'error: the text must name {who}\n'])
  assert.deepEqual((await answer('app', 'show', appId)).texts, {})
  const dear = await set('🆘 {who}')
  assert.equal(dear.code, 0)
  assert.match(dear.stdout, /^warning: it leaves the 7-bit alphabet/m)
  const other = await tocsin('app', 'text', 'set', appId, '--language', 'xx', '--key', 'alarm', '--text', 'x')
  assert.equal(other.code, 2)
})

test('country prefixes are set, shown and cleared', async (t) => {
  const { answer, tocsin } = await commandLine(t)
  const { appId } = await answer('app', 'create', '--name', 'Hut')
  const limited = await answer('app', 'update', appId, '--allowed-prefixes', '+43, +49')
  assert.deepEqual(limited.allowedPrefixes, ['+43', '+49'])
  assert.match((await tocsin('app', 'show', appId)).stdout, /^allowedPrefixes +\+43, \+49$/m)
  assert.deepEqual((await answer('app', 'update', appId, '--allowed-prefixes', 'any')).allowedPrefixes, [])
  const bad = await tocsin('app', 'update', appId, '--allowed-prefixes', '43')
  assert.equal(bad.code, 2)
  assert.match(bad.stderr, /must be prefixes such as \+43,\+49, or any/)
  const many = await tocsin('app', 'update', appId, '--allowed-prefixes', Array(101).fill('+43').join())
  assert.match(many.stderr, /It must have at most 100 entries\./)
})
