import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openHere } from '../fixtures/store-place.ts'
import { commandLine } from './command-line.ts'

test('contact add adds a contact, readiness says who could not be helped, contact verify has one asked', async (t) => {
  const { dataDir, tocsin, answer } = await commandLine(t, { TOCSIN_PUBLIC_URL: 'http://localhost:8080' })
  const { appId } = await answer('app', 'create', '--name', 'Hut', '--verify-contacts', 'off')
  const store = await openHere(t, dataDir, { leaveNotices: true })
  const now = Date.now()
  await store.ensureUser({ appId, externalUserId: 'tom-1', id: randomUUID(), now })
  const zoe = await store.ensureUser({ appId, externalUserId: 'zoe-1', id: randomUUID(), now })
  for (const [name, phone] of [
    ['Ana Gruber', '+436642222222'],
    ['Ana Hofer', '+436643333333'],
    ['2nd shift', '+436644444444'],
  ] as const) {
    await store.addContact(zoe.id, { id: randomUUID(), fields: { name, phone }, now, limit: 3 })
  }
  await store.addUnnamedEnds([{ appId, day: now, count: 3 }])
  await store.close()
  const added = await answer('contact', 'add', appId, 'mia-7', '--name', 'Ana', '--phone', '+436641111111')
  assert.deepEqual([added.externalUserId, added.contact.name, added.contact.priority], ['mia-7', 'Ana', 1])

  const { counts, concerns, notReady } = await answer('readiness')
  assert.match(concerns.at(-1), /^ends_unnamed: an application sent .*\(Hut: 3\)/)
  assert.match(concerns.join(), /public_url_loopback: links at http:\/\/localhost:8080 open on this machine only/)
  // Without a provider, nothing leaves the machine.
  assert.deepEqual(counts, { ready: 0, attention: 0, not_ready: 3 })
  assert.deepEqual(
    notReady.map(({ externalUserId, findings }: any) => [externalUserId, findings[1].code]),
    [
      ['mia-7', 'contact_unverified'],
      ['tom-1', 'nobody_to_alarm'],
      ['zoe-1', 'contact_unverified'],
    ],
  )
  const one = await answer('readiness', appId, '--user', 'tom-1')
  assert.equal(one.status, 'not_ready')
  assert.match((await tocsin('readiness', appId, '--user', 'nobody')).stderr, /no such user/)
  assert.match((await tocsin('readiness', '--user', 'tom-1')).stderr, /needs the application/)

  const local = await tocsin('contact', 'add', appId, 'mia-7', '--name', 'Ana', '--phone', '0664 1111111')
  assert.match(local.stderr, /must be an E.164 number such as/)
  const odd = ['contact', 'add', appId, 'odd-1', '--name', 'Ana', '--phone', '+9991234567']
  const { stdout, stderr } = await tocsin(...odd)
  assert.match(stdout, /is contact 1 of odd-1/)
  assert.equal(
    stderr,
    'warning: +9991234567 has an unassigned country code, an impossible length, or a zero that is dialled only within the country\n',
  )
  const { warnings } = await answer(...odd)
  assert.deepEqual(
    warnings.map(({ code }: any) => code),
    ['number_implausible', 'number_twice'],
  )
  await answer('app', 'update', appId, '--allowed-prefixes', '+49')
  const abroad = await tocsin('contact', 'add', appId, 'mia-7', '--name', 'Ben', '--phone', '+436642222222')
  assert.match(abroad.stderr, /may only send to \+49/)
  const asked = await answer('contact', 'verify', appId, 'mia-7', '1')
  assert.deepEqual([asked.name, asked.status], ['Ana', 'requested'])
  assert.match((await tocsin('contact', 'verify', appId, 'mia-7', '+436641111111')).stderr, /limit.*try again in 24 h/)
  assert.match((await tocsin('contact', 'verify', appId, 'mia-7', '2')).stderr, /no such contact/)
  assert.match((await tocsin('contact', 'verify', appId, 'nobody', '1')).stderr, /no such user/)

  const verify = (named: string) => tocsin('contact', 'verify', appId, 'zoe-1', named)
  assert.match(
    (await verify('ana')).stderr,
    /more than one contact is called ana: Ana Gruber \(place 1, \+436642222222\), Ana Hofer \(place 2, \+436643333333\)\n$/,
  )
  assert.match(
    (await verify('Ben')).stderr,
    /no contact is called Ben; the contacts are Ana Gruber, Ana Hofer, 2nd shift/,
  )
  // A place or a number that is nobody's is no part of a name, and neither is nothing at all.
  for (const nothing of ['4', '+43', '', ' ']) assert.match((await verify(nothing)).stderr, /no such contact/, nothing)
  assert.equal((await answer('contact', 'verify', appId, 'zoe-1', 'ANA H')).name, 'Ana Hofer')
  assert.equal((await answer('contact', 'verify', appId, 'zoe-1', '2nd shift')).name, '2nd shift')
  const rows = await answer('audit', 'list')
  assert.deepEqual(
    rows.filter(({ action }: any) => action === 'contact.verify').map(({ actor }: any) => actor.kind ?? actor),
    ['command', 'command', 'command'],
  )
})
