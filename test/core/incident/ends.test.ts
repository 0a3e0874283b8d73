import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import type { End, EndFacts, NamedIncident } from '../../../src/core/incident/end.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { momentAt, pressed } from '../build.ts'

const unnamed = (since: number): End => ({ kind: 'unnamed', since: momentAt(since), decideBy: momentAt(since + 5) })

const decided = (open: Incident | null, end: End, seconds: number, more: Partial<EndFacts> = {}) => {
  const facts = { at: momentAt(seconds), skewMs: 0, named: null, ...more }
  return decide({ incident: open, end: facts }, { type: 'cancel', now: momentAt(seconds), end })
}

// rules.md#ends.
const unnamedEnds: readonly [what: string, since: number, decidedAt: number, skewMs: number, verdict: string][] = [
  ['at once', 10, 10, 0, 'changed'],
  ['after 5 s', 10, 15, 0, 'changed'],
  ['after more than 5 s', 10, 15.001, 0, 'too_late'],
  ['in the millisecond of the opening', 0, 0, 0, 'changed'],
  ['begun before the incident was opened', -0.001, 3, 0, 'unchanged'],
  ['begun before, by less than the clocks of two nodes may differ', -0.1, 3, 100, 'changed'],
  ['begun before, by more than that', -0.101, 3, 100, 'unchanged'],
  ['of one that a clock ahead had opened', -10, -8, 0, 'changed'],
]
for (const [what, since, decidedAt, skewMs, verdict] of unnamedEnds) {
  test(`an end without a name, ${what}: ${verdict}`, () => {
    const { incident } = pressed()
    const { verdict: judged, incident: after, ended } = decided(incident, unnamed(since), decidedAt, { skewMs })
    assert.equal(judged, verdict)
    assert.equal(after?.state.status, verdict === 'changed' ? 'cancelled' : 'active')
    assert.equal(ended, undefined)
  })
}

test('an end without a name that comes too late says so with nothing open, too', () => {
  assert.equal(decided(null, unnamed(0), 6).verdict, 'too_late')
  assert.equal(decided(null, unnamed(0), 4).verdict, 'unchanged')
})

test('what the waiting of a command adds to its own time counts', () => {
  const { incident } = pressed()
  const command = { type: 'resolve', now: momentAt(1), end: unnamed(1) } as const
  const facts = { at: momentAt(20), skewMs: 0, named: null }
  assert.equal(decide({ incident, end: facts }, command).verdict, 'too_late')
  assert.throws(() => decide({ incident }, command), /moment/)
})

const names = (incidentId: string): End => ({ kind: 'incident', incidentId })
const press: End = { kind: 'press', deviceId: null, sentAt: { ms: momentAt(0), nanos: 0 } }
const leadsTo = (incidentId: string, isPressedAgain = false): NamedIncident => ({
  incidentId,
  isPressedAgain,
  isSent: true,
})

test('a named end ends what it names, and nothing else, however long it waited', () => {
  const { incident } = pressed()
  const other = 'another'
  const table: readonly [
    end: End,
    named: NamedIncident | null,
    open: Incident | null,
    ended: boolean,
    ends: boolean,
  ][] = [
    [names(incident.id), leadsTo(incident.id), incident, true, true],
    // It was opened in the same commit, before the store could know it.
    [names(incident.id), null, incident, true, true],
    [names(other), leadsTo(other), incident, true, false],
    [names(other), null, incident, false, false],
    [names(other), leadsTo(other), null, true, false],
    [names(other), null, null, false, false],
    [press, leadsTo(incident.id), incident, true, true],
    [press, leadsTo(incident.id, true), incident, false, false],
    [press, leadsTo(other, true), incident, true, false],
    [press, null, incident, false, false],
    [press, null, null, false, false],
  ]
  for (const [end, named, open, ended, ends] of table) {
    const decision = decided(open, end, 3600, { named })
    const after = ends ? 'cancelled' : open === null ? undefined : 'active'
    assert.deepEqual([decision.ended, decision.incident?.state.status], [ended, after], JSON.stringify([end, named]))
  }
})

test('an end of operator or service needs no name', () => {
  const { incident } = pressed()
  const { verdict, ended } = decide({ incident }, { type: 'resolve', now: momentAt(60), by: 'operator' })
  assert.deepEqual([verdict, ended], ['changed', undefined])
})
