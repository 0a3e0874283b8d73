import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import type { DownlinkKind, DownlinkRoute, DownlinkStep } from '../../../src/core/incident/downlink.ts'
import { downlinkMoment, isStaleDownlink } from '../../../src/core/incident/downlinks.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { alertAt, momentAt, planOf, pressed, raiseAt, type Story, secondsOf } from '../build.ts'

// devices.md#downlinks.

const route: DownlinkRoute = {
  server: 'hut',
  devEui: 'a84041ffff185123',
  application: '17c82e96-be03-4f38-aef3-f83d48582d97',
  device: 'a84041ffff185123',
  profile: 'tocsin-12',
  kinds: ['received', 'coming'],
}
const MINUTES = 60

/** An incident that a tracker's press has joined at 1 s. */
function answeredTracker(kinds: readonly DownlinkKind[] = route.kinds, contacts = ['Ana']) {
  const sos = pressed({ contacts, settings: { voice: false } })
  sos.presses(1, { downlink: { ...route, kinds } })
  return sos
}
const goes = (sos: Story, seconds: number, kind: DownlinkKind, step: DownlinkStep) =>
  sos.does(seconds, { type: 'downlink', kind, step }).verdict
const handedOver = (sos: Story, seconds: number, kind: DownlinkKind): void => {
  assert.equal(goes(sos, seconds, kind, { name: 'claim', ref: `ref-${kind}` }), 'changed')
  assert.equal(goes(sos, seconds, kind, { name: 'queued', ref: `ref-${kind}` }), 'changed')
}
const hears = (
  sos: Story,
  seconds: number,
  kind: DownlinkKind,
  status: 'sent' | 'delivered' | 'failed',
  ref?: string,
) => goes(sos, seconds, kind, { name: 'heard', ref: ref ?? `ref-${kind}`, status })
const rowsOf = (sos: Story) => sos.incident.downlinks?.rows ?? []
const staleOf = (sos: Story) => rowsOf(sos).map((row) => isStaleDownlink(sos.incident, row))
const statuses = (sos: Story): Record<string, string> =>
  Object.fromEntries(rowsOf(sos).map(({ kind, status }) => [kind, status]))
const itemOf = (sos: Story) => snapshotOf(sos.incident).items.find(({ type }) => type === 'downlink')
const nextOf = (sos: Story, kind: DownlinkKind): number | null => {
  const row = rowsOf(sos).find((one) => one.kind === kind)
  const moment = row && downlinkMoment(sos.incident, row)
  return moment == null ? null : secondsOf(moment)
}

suite('messages to the tracker that pressed', () => {
  test('the press that opens the incident plans "received" into version 1', () => {
    const plan = planOf({ contacts: ['Ana'] })
    const raise = raiseAt(0, alertAt(0), { downlink: route })
    const { incident, events } = decide({ incident: null, plan, earlier: null }, raise)
    assert.ok(incident)
    assert.deepEqual(events[0]?.message.actuators?.items.at(-1), {
      id: 'downlink',
      type: 'downlink',
      status: 'scheduled',
      outcome: 'pending',
      channels: [{ channel: 'received', status: 'scheduled' }],
    })
    assert.equal(incident.snapshotVersion, 1)
    // The dispatcher of alarms has nothing to do with it.
    const without = decide({ incident: null, plan, earlier: null }, raiseAt(0))
    assert.ok(without.incident)
    assert.equal(nextActionAt(incident), nextActionAt(without.incident))
  })

  test('queued, sent by a gateway, confirmed by the tracker: each is a version, and none goes back', () => {
    const sos = answeredTracker()
    const version = sos.incident.snapshotVersion
    handedOver(sos, 2, 'received')
    assert.deepEqual([itemOf(sos)?.status, sos.incident.snapshotVersion], ['scheduled', version])
    hears(sos, 3, 'received', 'sent')
    assert.deepEqual([itemOf(sos)?.outcome, sos.incident.snapshotVersion], ['success', version + 1])
    hears(sos, 4, 'received', 'delivered')
    for (const status of ['sent', 'failed', 'delivered'] as const) {
      assert.equal(hears(sos, 5, 'received', status), 'unchanged', status)
    }
    assert.deepEqual([statuses(sos), sos.incident.snapshotVersion], [{ received: 'delivered' }, version + 2])
    assert.equal(nextOf(sos, 'received'), null)
  })

  test('only a message of ours is confirmed, by its own id', () => {
    const sos = answeredTracker()
    assert.equal(hears(sos, 2, 'received', 'delivered'), 'unchanged')
    handedOver(sos, 2, 'received')
    assert.equal(hears(sos, 3, 'received', 'delivered', 'ref-coming'), 'unchanged')
    assert.equal(hears(sos, 3, 'coming', 'delivered', 'ref-received'), 'unchanged')
    assert.deepEqual(statuses(sos), { received: 'scheduled' })
  })

  test('an answer plans "coming" once, and "received" that has not left is left out', () => {
    const sos = answeredTracker()
    sos.acknowledges(2, 'Ana')
    assert.deepEqual(statuses(sos), { received: 'skipped', coming: 'scheduled' })
    assert.equal(nextOf(sos, 'coming'), 3)
    handedOver(sos, 3, 'coming')
    sos.does(4, { type: 'acknowledge', contactId: null })
    assert.equal(rowsOf(sos).length, 2)
  })

  test('"coming" keeps its distance from "received", and its profile may have only one of them', () => {
    const sos = answeredTracker()
    handedOver(sos, 2, 'received')
    sos.acknowledges(10, 'Ana')
    assert.equal(nextOf(sos, 'coming'), 32)
    assert.equal(goes(sos, 31, 'coming', { name: 'claim', ref: 'x' }), 'unchanged')
    const one = answeredTracker(['received'])
    one.acknowledges(10, 'Ana')
    assert.deepEqual(statuses(one), { received: 'scheduled' })
    const other = answeredTracker(['coming'])
    assert.equal(itemOf(other), undefined)
    other.acknowledges(10, 'Ana')
    assert.deepEqual(statuses(other), { coming: 'scheduled' })
  })

  test('a helper who withdraws is not announced; the next one is', () => {
    const sos = answeredTracker(route.kinds, ['Ana', 'Ben'])
    sos.runTo(60)
    sos.acknowledges(70, 'Ana')
    sos.does(70.5, { type: 'decline', contactId: 'contact-Ana' })
    sos.does(75, { type: 'decline', contactId: 'contact-Ana' })
    assert.equal(goes(sos, 76, 'coming', { name: 'claim', ref: 'x' }), 'unchanged')
    sos.acknowledges(90, 'Ben')
    assert.equal(goes(sos, 92, 'coming', { name: 'claim', ref: 'x' }), 'changed')
  })

  test('a press on an incident that is answered already is told so', () => {
    const sos = pressed({ contacts: ['Ana'], settings: { voice: false } })
    sos.runTo(10)
    sos.acknowledges(20, 'Ana')
    sos.presses(25, { downlink: route })
    assert.equal(statuses(sos).coming, 'scheduled')
    // The first tracker stays.
    sos.presses(26, { downlink: { ...route, devEui: '1122334455667788' } })
    assert.equal(sos.incident.downlinks?.route.devEui, route.devEui)
  })

  test('a tracker that cannot be told anything keeps no other from being told', () => {
    const sos = answeredTracker([])
    sos.presses(2, { downlink: { ...route, devEui: '1122334455667788' } })
    assert.equal(sos.incident.downlinks?.route.devEui, '1122334455667788')
  })

  test('one hand-over at a time, three tries, then it has failed', () => {
    const sos = answeredTracker()
    const refused = { name: 'refused', error: 'upstream HTTP 503', retryable: true } as const
    assert.equal(goes(sos, 1, 'received', { name: 'claim', ref: 'x' }), 'unchanged', 'before its time')
    assert.equal(goes(sos, 2, 'received', { name: 'claim', ref: 'x' }), 'changed')
    assert.equal(goes(sos, 2, 'received', { name: 'claim', ref: 'x' }), 'unchanged', 'claimed')
    goes(sos, 3, 'received', refused)
    assert.equal(nextOf(sos, 'received'), 23)
    goes(sos, 23, 'received', { name: 'claim', ref: 'x' })
    // Whoever had claimed it is gone.
    assert.equal(nextOf(sos, 'received'), 53)
    goes(sos, 53, 'received', { name: 'claim', ref: 'x' })
    goes(sos, 54, 'received', refused)
    assert.deepEqual([statuses(sos), itemOf(sos)?.outcome], [{ received: 'failed' }, 'failure'])
  })

  test('a wrong key fails at once; a message that nobody confirms has failed', () => {
    const sos = answeredTracker()
    goes(sos, 2, 'received', { name: 'claim', ref: 'x' })
    goes(sos, 2, 'received', { name: 'refused', error: 'upstream HTTP 401', retryable: false })
    assert.equal(rowsOf(sos)[0]?.error, 'upstream HTTP 401')
    sos.acknowledges(40, 'Ana')
    handedOver(sos, 41, 'coming')
    hears(sos, 50, 'coming', 'sent')
    hears(sos, 60, 'coming', 'failed')
    assert.deepEqual(statuses(sos), { received: 'failed', coming: 'failed' })
  })

  test('"coming" is not told half an hour later, "received" not after an hour', () => {
    const sos = answeredTracker()
    handedOver(sos, 2, 'received')
    sos.acknowledges(40, 'Ana')
    handedOver(sos, 41, 'coming')
    assert.equal(goes(sos, 40 + 30 * MINUTES - 1, 'coming', { name: 'expire' }), 'unchanged')
    assert.equal(goes(sos, 40 + 30 * MINUTES, 'coming', { name: 'expire' }), 'changed')
    assert.equal(goes(sos, 1 + 60 * MINUTES, 'received', { name: 'expire' }), 'changed')
    assert.deepEqual(statuses(sos), { received: 'failed', coming: 'failed' })
    assert.deepEqual(staleOf(sos), [true, true])
  })

  test('the end skips what no gateway has, and says what has to be taken back', () => {
    const sos = answeredTracker()
    handedOver(sos, 2, 'received')
    sos.acknowledges(40, 'Ana')
    sos.cancels(41)
    assert.deepEqual(statuses(sos), { received: 'skipped', coming: 'skipped' })
    assert.deepEqual(staleOf(sos), [true, false])
    assert.equal(hears(sos, 42, 'received', 'delivered'), 'unchanged')
  })

  test('what was being handed over when the incident ended has to be taken back, too', () => {
    const sos = answeredTracker()
    goes(sos, 2, 'received', { name: 'claim', ref: 'x' })
    sos.cancels(3)
    goes(sos, 4, 'received', { name: 'queued', ref: 'x' })
    assert.deepEqual(staleOf(sos), [true])
  })

  test('whose hand-over nobody saw the end of is taken back at the end: it may wait there', () => {
    const timedOut = { name: 'refused', error: 'connection timeout', retryable: true, mayWait: true } as const
    const wrongKey = { name: 'refused', error: 'upstream HTTP 401', retryable: false } as const
    const killed = answeredTracker()
    goes(killed, 2, 'received', { name: 'claim', ref: 'x' })
    killed.cancels(40)
    const again = answeredTracker()
    goes(again, 2, 'received', { name: 'claim', ref: 'x' })
    goes(again, 40, 'received', { name: 'claim', ref: 'x' })
    goes(again, 41, 'received', wrongKey)
    assert.deepEqual(staleOf(again), [false], 'it is still true')
    again.cancels(50)
    const late = answeredTracker()
    goes(late, 2, 'received', { name: 'claim', ref: 'x' })
    goes(late, 7, 'received', timedOut)
    late.cancels(8)
    for (const sos of [killed, again, late]) {
      assert.deepEqual(staleOf(sos), [true])
      goes(sos, 60, 'received', { name: 'takenBack' })
      assert.deepEqual(staleOf(sos), [false], 'no restart does it again')
    }
    const refused = answeredTracker()
    goes(refused, 2, 'received', { name: 'claim', ref: 'x' })
    goes(refused, 3, 'received', wrongKey)
    refused.cancels(8)
    assert.deepEqual(staleOf(refused), [false])
  })

  test('that a gateway has sent may be sent again until it is confirmed or given up', () => {
    for (const [status, isStale] of [
      ['sent', true],
      ['delivered', false],
      ['failed', false],
    ] as const) {
      const sos = answeredTracker()
      handedOver(sos, 2, 'received')
      hears(sos, 3, 'received', status)
      assert.deepEqual(staleOf(sos), [false])
      sos.cancels(4)
      assert.deepEqual(staleOf(sos), [isStale], status)
    }
  })

  test('"coming" of a helper who withdrew is taken back, and handed over anew for the next one', () => {
    const sos = answeredTracker(route.kinds, ['Ana', 'Ben'])
    sos.runTo(60)
    sos.acknowledges(70, 'Ana')
    handedOver(sos, 72, 'coming')
    assert.equal(staleOf(sos).at(-1), false)
    sos.does(75, { type: 'decline', contactId: 'contact-Ana' })
    assert.equal(staleOf(sos).at(-1), true)
    goes(sos, 76, 'coming', { name: 'takenBack' })
    assert.equal(goes(sos, 110, 'coming', { name: 'claim', ref: 'x' }), 'unchanged')
    sos.acknowledges(120, 'Ben')
    assert.equal(goes(sos, 120, 'coming', { name: 'claim', ref: 'x' }), 'changed')
  })

  test('what was never handed over within its time is skipped', () => {
    const sos = answeredTracker()
    goes(sos, 1 + 60 * MINUTES, 'received', { name: 'expire' })
    assert.deepEqual(statuses(sos), { received: 'skipped' })
  })

  test('a clock that is set keeps the distances; a restored incident that is held tells nobody', () => {
    const sos = answeredTracker()
    sos.does(2, { type: 'shiftDeadlines', byMs: 5000 })
    assert.equal(nextOf(sos, 'received'), 7)
    sos.does(3, { type: 'restore' })
    assert.equal(goes(sos, 8, 'received', { name: 'claim', ref: 'x' }), 'unchanged')
    sos.does(9, { type: 'resume' })
    assert.equal(goes(sos, 9, 'received', { name: 'claim', ref: 'x' }), 'changed')
    assert.equal(sos.incident.downlinks?.rows[0]?.claimedUntil, momentAt(39))
  })

  test('one node at a time empties the queue, also when the clock is set back meanwhile', () => {
    const sos = answeredTracker()
    handedOver(sos, 3000, 'received')
    sos.cancels(3001)
    assert.equal(goes(sos, 3002, 'received', { name: 'takeBack' }), 'changed')
    assert.equal(goes(sos, 3011, 'received', { name: 'takeBack' }), 'unchanged')
    // The incident is over, so nothing of it is moved along with the clock.
    assert.equal(goes(sos, 100, 'received', { name: 'takeBack' }), 'changed')
    assert.equal(goes(sos, 109, 'received', { name: 'takeBack' }), 'unchanged')
    assert.equal(goes(sos, 110, 'received', { name: 'takeBack' }), 'changed')
  })

  test('a clock that is set back does not put "coming" off beyond its time', () => {
    const sos = answeredTracker()
    handedOver(sos, 3000, 'received')
    sos.does(101, { type: 'shiftDeadlines', byMs: -2_900_000 })
    sos.acknowledges(110, 'Ana')
    assert.equal(nextOf(sos, 'coming'), 130)
  })
})
