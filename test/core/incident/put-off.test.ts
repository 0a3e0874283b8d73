import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Command } from '../../../src/core/incident/command.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import { furtherCommands } from '../../../src/core/incident/further-commands.ts'
import type { Closing, Incident } from '../../../src/core/incident/incident.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { continuesRun, type RunPress, runOf } from '../../../src/core/incident/put-off.ts'
import type { PositionSource } from '../../../src/core/ingest/position.ts'
import { alertAt, momentAt, planOf, pressed, raiseAt } from '../build.ts'

// rules.md#put-off

const plan = planOf({ contacts: ['Ana'] })
const every = (gapSeconds: number, count = 19, run = 'a'): RunPress[] =>
  Array.from({ length: count }, (_, place) => ({ receivedAt: momentAt(-(place + 1) * gapSeconds), run }))

suite('a press is the next of a run', () => {
  const at = (presses: RunPress[], place: number, other: Partial<RunPress>): RunPress[] =>
    presses.map((press, k) => (k === place ? { ...press, ...other } : press))
  const cases: readonly [string, RunPress[], run: string | null, isOn: boolean][] = [
    ['the 20th, 15 s apart', every(15), 'a', true],
    ['the 20th, all at once', every(0), 'a', true],
    ['the 19th', every(5, 18), 'a', false],
    ['the first ever', [], 'a', false],
    ['after a gap of more than 15 s', every(15.001), 'a', false],
    ['with such a gap among the last 20', at(every(10), 18, { receivedAt: momentAt(-196) }), 'a', false],
    ['of another run', every(5), 'b', false],
    ['with one of another run among the last 20', at(every(5), 18, { run: 'b' }), 'a', false],
    ['of no run', every(5), null, false],
    ['before the last one: the clock was set back', at(every(5), 0, { receivedAt: momentAt(1) }), 'a', false],
  ]
  for (const [what, presses, run, isOn] of cases) {
    test(`${what}: ${isOn}`, () => assert.equal(continuesRun(presses, run, momentAt(0)), isOn))
  }
})

suite('what the presses of a run have in common', () => {
  const fields = { latitude: 47, longitude: 11, mobileBattery: 50 }
  const command = raiseAt(0, alertAt(0, fields))
  const own = runOf(command, 'session')
  type Raise = Extract<Command, { type: 'raise' }>
  const cases: readonly [string, Partial<Raise>, PositionSource, isSame: boolean][] = [
    ['other values', { alert: alertAt(5, { latitude: 48, longitude: 12, mobileBattery: 49 }) }, 'session', true],
    ['one name more', { alert: alertAt(5, { ...fields, altitude: 900 }) }, 'session', false],
    ['a name that nobody knows', { alert: alertAt(5, { ...fields, held: true }) }, 'session', false],
    ['one name less', { alert: alertAt(5, { latitude: 47, longitude: 11 }) }, 'session', false],
    ['another sender', { reporterId: 'somebody else' }, 'session', false],
    ['another way', {}, 'device', false],
  ]
  for (const [what, more, source, isSame] of cases) {
    test(`${what}: ${isSame}`, () => assert.equal(runOf({ ...command, ...more }, source) === own, isSame))
  }
  test('there is none of an unlisted relay, a timer, an alarm that most likely nobody pressed, and alarm now', () => {
    const none: readonly (string | null)[] = [
      runOf(command, 'other'),
      runOf({ ...command, overdue: { dueAt: 0, note: null, place: null } }, 'session'),
      runOf({ ...command, few: 'board' }, 'session'),
      runOf({ ...command, alarmNow: true }, 'session'),
    ]
    assert.deepEqual(none, [null, null, null, null])
  })
})

suite('a run that goes on across the end of the alarm', () => {
  const command = raiseAt(0)
  const presses = every(5).map((press) => ({ ...press, run: runOf(command, 'session')! }))
  /** What a press does after this end. */
  const after = (closing: Closing['by'], more: Partial<Incident> = {}) => {
    const ended = pressed({ contacts: ['Ana'] })
    ended.does(1, { type: 'resolve', by: closing })
    return decide({ incident: null, plan, before: { incident: { ...ended.incident, ...more }, presses } }, command)
  }

  test('is put off after one by an operator alone: any other end raises the next alarm', () => {
    const verdicts = (['operator', 'user', 'contact', 'system'] as const).map((by) => after(by).verdict)
    assert.deepEqual(verdicts, ['put_off', 'opened', 'opened', 'opened'])
  })

  test('for 15, 30 and then 60 min, and never longer', () => {
    const minutes = [0, 1, 2, 3, 40].map((putOffs) => {
      const { incident } = after('operator', putOffs === 0 ? {} : { putOffs })
      assert.equal(incident?.putOffs, putOffs + 1)
      return (incident!.putOff!.until - momentAt(0)) / 60_000
    })
    assert.deepEqual(minutes, [15, 30, 60, 60, 60])
  })

  test('changes nothing but that, and tells nobody; the next one changes nothing', () => {
    const put = after('operator')
    assert.deepEqual([put.events, put.claimed, put.incident?.state.status], [[], [], 'resolved'])
    const again = decide({ incident: null, plan, before: { incident: put.incident!, presses } }, command)
    assert.deepEqual([again.verdict, again.incident], ['put_off', put.incident])
    assert.equal(nextActionAt(put.incident!), put.incident!.putOff!.until + 15_000)
  })

  test('alarms once the time is over, and remembers how often it was put off', () => {
    const put = after('operator').incident!
    const over = { ...put, putOff: { ...put.putOff!, until: momentAt(0) } }
    const { verdict, incident } = decide({ incident: null, plan, before: { incident: over, presses } }, command)
    assert.deepEqual([verdict, incident?.putOffs], ['opened', 1])
    const other = decide({ incident: null, plan, before: { incident: over, presses: [] } }, command)
    assert.deepEqual([other.verdict, other.incident?.putOffs], ['opened', undefined])
  })

  test('moves with the clock, and is over after a restore', () => {
    const put = after('operator').incident!
    const moved = decide({ incident: put }, { type: 'shiftDeadlines', now: momentAt(1), byMs: 5000 }).incident
    assert.equal(moved?.putOff?.until, put.putOff!.until + 5000)
    assert.equal(decide({ incident: put }, { type: 'restore', now: momentAt(1) }).incident?.putOff, undefined)
  })
})

test('a press that opens ends exercise and put-off; an end by the person, while nothing is open, the put-off', () => {
  const now = momentAt(0)
  const { incident: open } = pressed()
  const drill = { type: 'overtake', now }
  const putOff = { type: 'endPutOff', now }
  const [press, end] = [raiseAt(0), { type: 'resolve', now } as const]
  for (const [incident, command, verdict, expected] of [
    [null, press, 'opened', { drill, putOff }],
    [null, press, 'put_off', { drill: null, putOff: null }],
    [open, press, 'updated', { drill: null, putOff: null }],
    [null, end, 'unchanged', { drill: null, putOff: { ...putOff, byUser: true } }],
    [null, { ...end, type: 'cancel', by: 'user' }, 'unchanged', { drill: null, putOff: { ...putOff, byUser: true } }],
    [null, { ...end, by: 'operator' }, 'unchanged', { drill: null, putOff: null }],
    [null, end, 'too_late', { drill: null, putOff: null }],
    [open, end, 'changed', { drill: null, putOff: null }],
  ] as const) {
    assert.deepEqual(furtherCommands(incident, command, verdict), expected, `${command.type} ${verdict}`)
  }
})
