import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { Channel } from '../../../src/core/incident/delivery.ts'
import { channelStatuses, failed, only, pressed, type Story, secondsOf, sent } from '../build.ts'

// rules.md#unknown-outcomes; rules.md#attempts.

const unknown: AttemptOutcome = { kind: 'unknown' }
const untold: AttemptOutcome = { kind: 'not_found', error: 'connection reset' }
const once = { rounds: 1, voiceAttempts: 1 }

/** Claims the first attempt of `channel`, which has `outcome` immediately. */
function begun(sos: Story, seconds: number, channel: Channel, outcome: AttemptOutcome) {
  const row = only(sos.proceeds(seconds).claimed.filter((one) => one.channel === channel))
  return { row, again: sos.repeats(seconds, row.id, outcome) }
}

test('a look-up does not count as a try: two 503 answers cost 1 and 5 s besides the look-ups, then 15 and 60 s', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...once, voice: false } })
  const triedAt: number[] = []
  for (let at = 10; triedAt.length < 6; ) {
    const row = only(sos.proceeds(at).claimed)
    triedAt.push(at)
    sos.records(at, row.id, unknown)
    assert.equal(only(sos.proceeds(at + 10).unsure).id, row.id)
    sos.records(at + 10, row.id, failed('upstream HTTP 503', true))
    at = secondsOf(only(sos.rows('sms')).dueAt)
  }
  assert.deepEqual(
    triedAt.slice(1).map((at, place) => at - triedAt[place]! - 10),
    [1, 5, 15, 60, 60],
  )
})

test('repeated look-ups count as one try', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { ...once, voice: false } })
  const { row } = begun(sos, 10, 'sms', unknown)
  for (const at of [20, 30, 40]) {
    assert.equal(only(sos.proceeds(at).unsure).id, row.id)
    sos.records(at, row.id, unknown)
  }
  sos.records(50, row.id, failed('upstream HTTP 503', true))
  assert.deepEqual([only(sos.rows('sms')).tries, secondsOf(only(sos.rows('sms')).dueAt)], [1, 51])
})

test('an SMS whose status nobody can tell is repeated after 5 s and 15 s, then fails, and the call moves forward', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const tried: string[] = []
  sos.runTo(30, (row, at) => {
    tried.push(`${at} ${row.channel} ${row.id}`)
    return row.channel === 'sms' ? untold : sent
  })
  const { id, status, error, claim } = only(sos.rows('sms'))
  assert.deepEqual([status, error, claim], ['failed', 'connection reset', null])
  const [call] = sos.rows('voice')
  assert.deepEqual(tried, [`10 sms ${id}`, `15 sms ${id}`, `30 sms ${id}`, `30 voice ${call?.id}`])
  assert.deepEqual(channelStatuses(sos.incident), { 'sms Ana': 'failed', 'voice Ana': 'sent' })
})

test('an SMS that nobody knew of is repeated at once where its provider was asked and does not have it', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  const { row } = begun(sos, 10, 'sms', unknown)
  assert.equal(sos.repeats(20, row.id, { kind: 'not_found' })?.id, row.id)
})

test('a text that the alarm is over is tried ten times, also if nobody can tell whether it arrived', () => {
  const sos = pressed({ contacts: ['Ana'], settings: once })
  sos.runTo(15)
  sos.cancels(20)
  const tried: number[] = []
  sos.runTo(1_000, (_, at) => {
    tried.push(at)
    return untold
  })
  const closing = only(sos.incident.deliveries.filter(({ purpose }) => purpose === 'all_clear'))
  assert.deepEqual([closing.status, closing.error], ['failed', 'connection reset'])
  assert.deepEqual([tried.length, tried.slice(0, 3)], [10, [20, 25, 40]])
})

test('a call whose status nobody can tell is repeated once, then the next one comes at its time', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1, voiceAttempts: 2, voiceRetrySeconds: 60 } })
  sos.runTo(69)
  const { row, again } = begun(sos, 70, 'voice', untold)
  assert.equal(again?.id, row.id)
  sos.records(85, row.id, untold)
  const [first, second] = sos.rows('voice')
  assert.deepEqual([first?.status, first?.error, secondsOf(second?.dueAt ?? 0)], ['failed', 'connection reset', 145])
})

for (const channel of ['http', 'chat', 'webhook'] as const) {
  test(`a call to ${channel} that a crash left open is repeated once, and its other tries remain`, () => {
    const actuators = {
      emergency_contacts: { httpUrl: 'https://gateway.example/' },
      chat: { url: 'https://chat.example/', format: 'text' as const },
      webhook: { url: 'https://hook.example/' },
    }
    const sos = pressed({ contacts: ['Ana'], actuators, settings: { voice: false } })
    const row = only(sos.proceeds(10).claimed.filter((one) => one.channel === channel))
    assert.equal(sos.repeats(20, row.id, untold)?.id, row.id)
    sos.records(30, row.id, untold)
    const [first, second] = sos.rows(channel)
    assert.deepEqual([first?.status, second?.status, second?.attempt], ['failed', 'scheduled', 2])
  })
}

for (const ends of ['acknowledges', 'cancels', 'resolves'] as const) {
  const end = (sos: Story, at: number) => (ends === 'acknowledges' ? sos.acknowledges(at, 'Ana') : sos[ends](at))

  for (const [what, outcome] of [
    ['fails with a retryable error', failed('upstream HTTP 503', true)],
    ['fails for good', failed('invalid number', false)],
    ['turns out to be unknown to the provider', untold],
  ] as const) {
    test(`an SMS in flight that ${what} after someone ${ends} is failed, not skipped`, () => {
      const sos = pressed({ contacts: ['Ana'], settings: once })
      const row = only(sos.proceeds(10).claimed)
      end(sos, 12)
      assert.equal(only(sos.rows('sms')).status, 'scheduled')
      sos.records(13, row.id, outcome)
      const { status, error } = only(sos.rows('sms'))
      assert.deepEqual([status, error], ['failed', 'error' in outcome ? outcome.error : null])
      assert.deepEqual(channelStatuses(sos.incident), { 'sms Ana': 'failed', 'voice Ana': 'skipped' })
    })
  }

  test(`a repeat still waiting for its turn when someone ${ends} is failed`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: once })
    const { row } = begun(sos, 10, 'sms', unknown)
    sos.records(20, row.id, untold)
    assert.deepEqual([only(sos.rows('sms')).status, only(sos.rows('sms')).claim], ['scheduled', null])
    end(sos, 21)
    assert.equal(only(sos.rows('sms')).status, 'failed')
  })

  test(`an attempt that a crash left open and the provider does not have is skipped when someone ${ends}: it never ran`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: once })
    const row = only(sos.proceeds(10).claimed)
    end(sos, 12)
    sos.records(20, row.id, { kind: 'not_found' })
    assert.equal(only(sos.rows('sms')).status, 'skipped')
  })
}

test('a retry of a call that never ran is skipped, and the call before it stays failed', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { rounds: 1 } })
  sos.runTo(80, (row) => (row.channel === 'voice' ? failed('busy', true) : sent))
  sos.cancels(80)
  assert.deepEqual(
    sos.rows('voice').map(({ status }) => status),
    ['failed', 'skipped'],
  )
})

for (const error of ['no provider for calls', 'invalid number']) {
  test(`a call that ends with ${error} is not made again in its round, and the round continues`, () => {
    const sos = pressed({ contacts: ['Ana'], settings: { rounds: 2, voiceAttempts: 3 } })
    sos.runTo(1_000, (row) => (row.channel === 'voice' ? failed(error, false) : sent))
    assert.deepEqual(sos.told, ['10 sms Ana', '70 voice Ana', '130 sms Ana', '190 voice Ana'])
  })
}
