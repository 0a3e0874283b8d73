import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

test('the on-call list on the command line: people, turns, an override, and what is wrong with it', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t)
  assert.match((await tocsin('on-call', 'show')).stdout, /^Nobody is on call\. Begin with/)
  const ivo = await answer('on-call', 'person', 'Ivo Early', '--phone', '+4366012345678', '--language', 'de')
  assert.equal(ivo.list.people[0].told.accepted, true)
  await answer('on-call', 'person', 'Lea Late', '--phone', '+4366012345679')
  const texts = await answer('outbox', 'list')
  assert.deepEqual(
    texts.map(({ to }: { to: string }) => to),
    ['+4366012345678', '+4366012345679'],
  )
  const turns = await answer(
    ...['on-call', 'rotation', '--order', 'lea late,Ivo Early', '--starts-on', '2026-01-01'],
    ...['--every-days', '1', '--time-zone', 'UTC'],
  )
  assert.deepEqual([turns.list.everyDays, turns.list.order.length, turns.findings], [1, 2, []])
  const put = await answer('on-call', 'override', 'Ivo Early')
  assert.equal(put.now.name, 'Ivo Early')
  assert.match((await tocsin('on-call', 'show')).stdout, /^Ivo Early is on duty now, until .*\nAn alarm that nobody/)
  const back = await answer('on-call', 'remove-override', put.list.overrides[0].id)
  assert.deepEqual(back.list.overrides, [])
  assert.equal((await answer('on-call', 'person', 'lea late', '--remove')).list.order.length, 1)
  assert.equal((await answer('on-call', 'confirm')).list.people.length, 1)
  const refused = async (...args: readonly string[]) => (await tocsin('on-call', ...args)).stderr
  assert.match(await refused('person', 'Eva'), /needs --phone/)
  assert.match(await refused('person', 'Eva', '--phone', '+4366012345678'), /two people with one number/)
  assert.match(await refused('person', 'Ivo Early', '--operator', 'nobody'), /there is no operator/)
  assert.match(await refused('rotation', '--order', 'Eva'), /nobody on the on-call list is called Eva/)
  assert.match(await refused('rotation', '--time-zone', 'Mars'), /time zone/)
  assert.match(await refused('override', 'Ivo Early', '--until', '2020-01-01T00:00:00Z'), /ends in the future/)
  // Two of one name, as the console may have them: neither is changed, and no third is made.
  const store = await openHere(t, dataDir)
  const list = (await store.onCall())!
  const twin = { ...list.people[0]!, id: randomUUID(), phone: '+4366012345670' }
  const given = { ...list, order: [...list.order], people: [...list.people, twin] }
  await store.changeOnCall({ kind: 'set', given, now: Date.now(), defaultTimeZone: 'UTC' }, entry(SOMEBODY))
  assert.match(await refused('person', 'Ivo Early', '--phone', '+4366012345671'), /two people .* by their id/)
  const one = await answer('on-call', 'person', twin.id, '--phone', '+4366012345671')
  assert.deepEqual(
    one.list.people.map(({ phone }: { phone: string }) => phone),
    ['+4366012345678', '+4366012345671'],
  )
})

const SOMEBODY = { at: 0, actor: COMMAND, action: 'on_call.change' } as const
