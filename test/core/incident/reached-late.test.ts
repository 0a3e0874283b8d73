import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome, Receipt } from '../../../src/core/incident/command.ts'
import { failed, only, pressed, receipt, type Story, sent } from '../build.ts'

// Everyone who was alarmed must hear that it is over, whatever the attempt's status says by then; a status never goes
// back.

const once = { rounds: 1, voice: false }
const of = (status: Receipt['status'], providerRef: string): Receipt => ({ ...receipt(status), providerRef })

const failedSos = (): Story => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  sos.runTo(10, () => failed('connection timeout', false))
  assert.equal(only(sos.rows('sms')).status, 'failed')
  return sos
}

const skippedSos = (): Story => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const row = only(sos.proceeds(10).claimed)
  sos.cancels(12)
  sos.records(20, row.id, { kind: 'not_found' })
  assert.deepEqual([only(sos.rows('sms')).status, sos.allClears().length], ['skipped', 0])
  return sos
}

for (const status of ['sent', 'delivered'] as const) {
  test(`an SMS that failed and is then reported ${status} is followed by the all-clear`, () => {
    const sos = failedSos()
    sos.hears(30, only(sos.rows('sms')).id, of(status, 'SM7'))
    sos.cancels(40)
    assert.equal(only(sos.allClears()).contactId, 'contact-Ana')
    assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).providerRef], ['failed', 'SM7'])
  })

  test(`and so is a skipped one whose receipt ${status} comes after the end`, () => {
    const sos = skippedSos()
    const { snapshotVersion } = sos.incident
    sos.hears(30, only(sos.rows('sms')).id, of(status, 'SM7'))
    sos.runTo(40)
    assert.equal(only(sos.allClears()).status, 'sent')
    assert.deepEqual([only(sos.rows('sms')).status, sos.incident.snapshotVersion], ['skipped', snapshotVersion])
  })
}

test('a failed SMS whose receipt comes after the end is followed by the all-clear, once', () => {
  const sos = failedSos()
  sos.cancels(20)
  assert.deepEqual(sos.allClears(), [])
  const { id } = only(sos.rows('sms'))
  for (const at of [30, 31]) sos.hears(at, id, of('delivered', 'SM7'))
  assert.equal(sos.allClears().length, 1)
  const settled = sos.incident
  sos.hears(32, id, of('delivered', 'SM7'))
  assert.equal(sos.incident, settled)
})

test('if one copy of a doubled SMS is returned and the other arrives, the all-clear follows', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  sos.runTo(10)
  const { id } = only(sos.rows('sms'))
  sos.hears(15, id, { ...of('failed', 'SM1'), error: 'provider error 30003' })
  sos.hears(16, id, of('delivered', 'SM2'))
  sos.cancels(20)
  assert.equal(only(sos.rows('sms')).status, 'failed')
  assert.equal(sos.allClears().length, 1)
})

test('a report that a message was on its way before the network returned it does not count as reached', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  sos.runTo(10)
  const { id } = only(sos.rows('sms'))
  sos.hears(15, id, { ...of('failed', 'SM1'), error: 'provider error 30003' })
  sos.hears(16, id, of('sent', 'SM1'))
  sos.cancels(20)
  assert.deepEqual(sos.allClears(), [])
})

// rules.md#all-clear: whoever may have the alarm.

const unknown: AttemptOutcome = { kind: 'unknown' }
const untold: AttemptOutcome = { kind: 'not_found', error: 'connection reset' }
const refused = failed('invalid number', false)

/** What happens to the one SMS, claimed at 10 s; the user ends the alarm at 60 s. */
const doubtful: readonly [what: string, happens: (sos: Story, id: string) => unknown, isTold: boolean][] = [
  ['is under way, and then has no known outcome', (sos, id) => [sos.cancels(60), sos.records(61, id, unknown)], true],
  ['has no known outcome', (sos, id) => [sos.records(25, id, unknown), sos.cancels(60)], true],
  ['waits for its repeat after an unknown outcome', (sos, id) => [sos.records(59, id, untold), sos.cancels(60)], true],
  [
    'was refused in its repeat after an unknown outcome',
    (sos, id) => {
      sos.records(20, id, untold)
      sos.proceeds(25)
      sos.records(26, id, refused)
      sos.cancels(60)
    },
    true,
  ],
  [
    'was refused by one provider after another had left it open',
    (sos, id) => [sos.records(20, id, { ...refused, mayHaveArrived: true } as AttemptOutcome), sos.cancels(60)],
    true,
  ],
  [
    'is under way, and the provider then says that it never had it',
    (sos, id) => [sos.cancels(60), sos.records(61, id, { kind: 'not_found' })],
    false,
  ],
  ['was refused', (sos, id) => [sos.records(20, id, refused), sos.cancels(60)], false],
]

for (const [what, happens, isTold] of doubtful) {
  test(`a contact whose SMS ${what} is ${isTold ? '' : 'not '}told of the end`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: once })
    const { id } = only(sos.proceeds(10).claimed)
    happens(sos, id)
    sos.proceeds(75)
    assert.deepEqual(
      sos.allClears().map(({ contactId }) => contactId),
      isTold ? ['contact-Ana'] : [],
    )
  })
}

test('and so is one whose alarm of an earlier round has left the record', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...once, rounds: 2 } })
  sos.runTo(30, () => untold)
  assert.equal(only(sos.rows('sms')).status, 'failed')
  sos.runTo(90, (row) => (row.id.endsWith('.1') ? sent : refused))
  assert.equal(
    sos.incident.deliveries.some(({ mayHaveArrived }) => mayHaveArrived),
    false,
  )
  sos.cancels(100)
  assert.equal(sos.allClears().length, 1)
})
