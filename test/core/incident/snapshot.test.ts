import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemsOf, snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { everyActuator, failed, isoAfter, momentAt, only, pressed, receipt, sent } from '../build.ts'

// protocol.md#snapshot, rules.md#snapshot.

test('version 1 is the plan: every configured actuator, scheduled and pending', () => {
  const { incident } = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
  const channels = ['sms', 'voice', 'http'].map((channel) => ({ channel, status: 'scheduled' }))
  const entry = (name: string, priority: number) => ({
    contactId: `contact-${name}`,
    name,
    priority,
    status: 'scheduled',
    channels,
  })
  const planned = (provider: string) => [{ attempt: 1, status: 'scheduled', provider, updatedAt: isoAfter(0) }]
  assert.deepEqual(snapshotOf(incident), {
    snapshotVersion: 1,
    items: [
      {
        id: 'emergency_contacts',
        type: 'emergency_contacts',
        status: 'scheduled',
        outcome: 'pending',
        contacts: [entry('Ana', 1), entry('Ben', 2)],
      },
      { id: 'chat', type: 'chat', status: 'scheduled', outcome: 'pending', deliveries: planned('chat') },
      { id: 'webhook', type: 'webhook', status: 'scheduled', outcome: 'pending', deliveries: planned('webhook') },
    ],
  })
})

const plans: readonly [what: string, given: Parameters<typeof pressed>[0], types: string[], channels: string[]][] = [
  ['a new application', { contacts: ['Ana'] }, ['emergency_contacts'], ['sms', 'voice']],
  ['calls turned off', { contacts: ['Ana'], settings: { voice: false } }, ['emergency_contacts'], ['sms']],
  [
    'a contact gateway',
    { contacts: ['Ana'], actuators: { emergency_contacts: { httpUrl: 'https://gateway.example/' } } },
    ['emergency_contacts'],
    ['sms', 'voice', 'http'],
  ],
  [
    'chat alone',
    { contacts: ['Ana'], actuators: { chat: { url: 'https://chat.example/', format: 'text' } } },
    ['chat'],
    [],
  ],
  ['nothing configured', { contacts: ['Ana'], actuators: {} }, [], []],
  ['no contacts', {}, ['emergency_contacts'], []],
]

for (const [what, given, types, channels] of plans) {
  test(`the plan with ${what} has ${types.join(', ') || 'no item'}, ${channels.join(', ') || 'no channel'}`, () => {
    const items = itemsOf(pressed(given).incident)
    assert.deepEqual(
      items.map((item) => [item.id, item.type, item.status, item.outcome, 'updatedAt' in item]),
      types.map((type) => [type, type, 'scheduled', 'pending', false]),
    )
    assert.deepEqual(
      items.flatMap((item) => item.contacts ?? []).flatMap((contact) => contact.channels.map(({ channel }) => channel)),
      channels,
    )
  })
}

test('without contacts the item is scheduled in version 1, and skipped from the end of the grace window', () => {
  const sos = pressed({})
  assert.deepEqual(only(itemsOf(sos.incident)), {
    id: 'emergency_contacts',
    type: 'emergency_contacts',
    status: 'scheduled',
    outcome: 'pending',
    contacts: [],
  })
  sos.runTo(9.999)
  assert.equal(sos.incident.snapshotVersion, 1)
  sos.runTo(10)
  assert.equal(sos.incident.snapshotVersion, 2)
  assert.deepEqual(only(itemsOf(sos.incident)), {
    id: 'emergency_contacts',
    type: 'emergency_contacts',
    status: 'skipped',
    outcome: 'skipped',
    updatedAt: isoAfter(10),
    contacts: [],
  })
  assert.deepEqual(sos.told, [])
  assert.deepEqual(sos.events, ['processed', 'sos.actuator_update'])
})

test('a contact has the status of its most advanced channel, and the actuator that of its most advanced contact', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(10)
  sos.hears(12, only(sos.rows('sms', 'Ana')).id, receipt('delivered'))
  const item = only(itemsOf(sos.incident))
  assert.deepEqual([item.status, item.outcome, item.updatedAt], ['delivered', 'success', isoAfter(12)])
  assert.deepEqual(
    item.contacts?.map(({ name, status, channels }) => [name, status, ...channels.map((each) => each.status)]),
    [
      ['Ana', 'delivered', 'delivered', 'scheduled'],
      ['Ben', 'scheduled', 'scheduled', 'scheduled'],
    ],
  )
})

test('a channel with several attempts has the status of the most advanced one', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(70)
  sos.hears(80, only(sos.rows('voice')).id, receipt('failed', 'no answer'))
  const channels = only(itemsOf(sos.incident)).contacts?.[0]?.channels
  assert.deepEqual(channels, [
    { channel: 'sms', status: 'sent' },
    { channel: 'voice', status: 'scheduled' },
  ])
})

test('only a contact who has answered has acknowledgedAt, independent of the status', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  const [ana, ben] = only(itemsOf(sos.incident)).contacts ?? []
  assert.equal(ana?.acknowledgedAt, isoAfter(15))
  assert.equal(ana?.status, 'sent')
  assert.equal(ben !== undefined && 'acknowledgedAt' in ben, false)
})

test('deliveries list every attempt, with an error only if it failed', () => {
  const sos = pressed({ actuators: { chat: { url: 'https://chat.example/', format: 'text' } } })
  let tries = 0
  sos.runTo(60, () => {
    tries += 1
    return tries === 1 ? failed('upstream HTTP 503', true) : { kind: 'delivered', provider: 'chat', providerRef: null }
  })
  assert.deepEqual(only(itemsOf(sos.incident)), {
    id: 'chat',
    type: 'chat',
    status: 'delivered',
    outcome: 'success',
    updatedAt: isoAfter(11),
    deliveries: [
      { attempt: 1, status: 'failed', provider: 'chat', error: 'upstream HTTP 503', updatedAt: isoAfter(10) },
      { attempt: 2, status: 'delivered', provider: 'chat', updatedAt: isoAfter(11) },
    ],
  })
})

test('a failed attempt and its retry share one version, rolled up to scheduled and pending', () => {
  const sos = pressed({ actuators: { webhook: { url: 'https://hook.example/' } } })
  const { claimed } = sos.proceeds(10)
  const decision = sos.records(10.5, only(claimed).id, failed('connection timeout', true))
  assert.deepEqual(
    decision.events.map(({ message }) => [message.type, message.snapshotVersion]),
    [['sos.actuator_update', 2]],
  )
  const item = only(itemsOf(sos.incident))
  assert.deepEqual([item.status, item.outcome, item.updatedAt], ['scheduled', 'pending', isoAfter(10.5)])
  assert.deepEqual(item.deliveries, [
    { attempt: 1, status: 'failed', provider: 'webhook', error: 'connection timeout', updatedAt: isoAfter(10.5) },
    { attempt: 2, status: 'scheduled', provider: 'webhook', updatedAt: isoAfter(10.5) },
  ])
})

test('claiming an attempt does not change the snapshot', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const before = snapshotOf(sos.incident)
  const { claimed, events } = sos.proceeds(10)
  assert.equal(claimed.length, 1)
  assert.deepEqual(events, [])
  assert.deepEqual(snapshotOf(sos.incident), before)
  sos.records(10.2, only(claimed).id, sent)
  assert.equal(sos.incident.snapshotVersion, 2)
})

test('contacts stay in priority order when one joins and when a re-alarm takes over others', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'] })
  sos.adds(1, 'Cleo')
  const listed = () => only(itemsOf(sos.incident)).contacts?.map(({ name, priority }) => [name, priority])
  assert.deepEqual(listed(), [
    ['Ana', 1],
    ['Ben', 2],
    ['Cleo', 3],
  ])
  sos.acknowledges(20, 'Ana')
  sos.becomes({ contacts: ['Ben', 'Dora'] })
  sos.presses(400)
  const priorities = listed()?.map(([, priority]) => Number(priority)) ?? []
  assert.deepEqual(listed()?.slice(0, 2), [
    ['Ben', 1],
    ['Dora', 2],
  ])
  assert.deepEqual(
    priorities,
    priorities.toSorted((a, b) => a - b),
  )
})

test('folded attempts count as those that are listed: of several contacts, of one that is gone, and as the newest', () => {
  const { incident } = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
  const about = { actuator: 'emergency_contacts', channel: 'sms', count: 1, told: true } as const
  const folded = [
    { ...about, contactId: 'contact-Ana', lastAt: { failed: momentAt(20), delivered: momentAt(10) } },
    { ...about, contactId: 'contact-gone', lastAt: { sent: momentAt(30) } },
  ]
  const [item] = itemsOf({ ...incident, folded })
  assert.deepEqual([item?.status, item?.updatedAt], ['delivered', isoAfter(30)])
  assert.deepEqual(
    item?.contacts?.map(({ status, channels }) => [status, channels]),
    [
      ['delivered', [{ channel: 'sms', status: 'delivered' }]],
      ['scheduled', [{ channel: 'sms', status: 'scheduled' }]],
    ],
  )
})
