import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Receipt } from '../../../src/core/incident/command.ts'
import { failed, only, pressed, receipt, type Story } from '../build.ts'

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
