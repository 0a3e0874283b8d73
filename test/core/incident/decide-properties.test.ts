import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome, Command } from '../../../src/core/incident/command.ts'
import { decide, needsPlan } from '../../../src/core/incident/decide.ts'
import type { Decision } from '../../../src/core/incident/decision.ts'
import { type Delivery, type DeliveryStatus, earlierTries } from '../../../src/core/incident/delivery.ts'
import type { EarlierAlert, Incident, IncidentStatus } from '../../../src/core/incident/incident.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { isQuiet } from '../../../src/core/incident/realarm.ts'
import { itemsOf } from '../../../src/core/incident/snapshot.ts'
import { effort } from '../../harness/effort.ts'
import fc from '../../harness/fast-check.ts'
import {
  alertAt,
  allGoesWell,
  contactCalled,
  everyActuator,
  failed,
  type Given,
  momentAt,
  planOf,
  pressed,
  raiseAt,
  receipt,
  secondsOf,
} from '../build.ts'

/** One turn of a random story: what happens, after how many seconds, and to which of the candidates. */
type Turn = { readonly what: string; readonly after: number; readonly pick: number; readonly which: number }

const names = ['Ana', 'Ben', 'Cleo', 'Dora']
const turn: fc.Arbitrary<Turn> = fc.record({
  what: fc.constantFrom(
    ...[
      'acknowledge',
      'promise',
      'decline',
      'cancel',
      'resolve',
      'addContact',
      'reckonAnew',
      'shift',
      'resume',
      'restore',
      'raise',
      'repeat',
    ],
    ...[
      'proceed',
      'proceed',
      'proceed',
      'next',
      'next',
      'next',
      'next',
      'outcome',
      'outcome',
      'outcome',
      'receipt',
      'receipt',
    ],
  ),
  after: fc.oneof(fc.constantFrom(0, 1, 10, 30, 60, 300, 301), fc.integer({ min: 0, max: 400 })),
  pick: fc.nat({ max: 60 }),
  which: fc.nat({ max: 20 }),
})

const given: fc.Arbitrary<Given> = fc.record({
  contacts: fc.subarray(names.slice(0, 3)),
  actuators: fc.constantFrom(everyActuator, { emergency_contacts: {} }, { chat: everyActuator.chat }, {}),
  settings: fc.record(
    {
      graceSeconds: fc.constantFrom(0, 10),
      contactIntervalSeconds: fc.constantFrom(0, 30),
      ackTimeoutSeconds: fc.constantFrom(0, 60),
      voice: fc.boolean(),
      voiceAttempts: fc.integer({ min: 1, max: 3 }),
      rounds: fc.integer({ min: 1, max: 3 }),
      httpAttempts: fc.integer({ min: 1, max: 3 }),
      allClear: fc.boolean(),
      realarmSeconds: fc.constantFrom(0, 300),
      autoResolveHours: fc.constantFrom(0.1, 24),
      persistHours: fc.constantFrom(0, 12),
      watchMinutes: fc.constantFrom(0, 1, 30),
      tellOthers: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})

const outcomes: readonly AttemptOutcome[] = [
  { kind: 'sent', provider: 'twilio', providerRef: 'SM1' },
  { kind: 'delivered', provider: 'http', providerRef: null },
  failed('upstream HTTP 503', true),
  { kind: 'failed', error: 'rate limited (HTTP 429)', retryable: true, retryAfterMs: 5_000 },
  failed('invalid number', false),
  { kind: 'sent', provider: 'twilio', providerRef: 'SM2', askAfterMs: 5_000 },
  { kind: 'no_target' },
  { kind: 'unknown' },
  { kind: 'not_found' },
]
const receipts = [receipt('sent'), receipt('delivered'), receipt('failed', 'no answer')]
const nthOf = <T>(all: readonly T[], n: number): T => all[n % all.length] as T

/** The command of a turn, and the earlier alert that a repeat finds. */
function commandOf(
  { what, after, pick, which }: Turn,
  incident: Incident,
  now: number,
): [Command, EarlierAlert | null] {
  const seconds = secondsOf(now)
  const attempt = nthOf(incident.deliveries, pick)
  const attemptId = attempt?.id ?? 'nobody.1'
  const contact = contactCalled(nthOf(names, pick), which % 4)
  // Half of the time only one attempt may leave, else all of them.
  const turns = which % 2 === 0 ? { turns: [attemptId] } : {}
  switch (what) {
    case 'acknowledge':
      return [{ type: 'acknowledge', now, contactId: contact.contactId }, null]
    case 'promise': {
      const promise = which % 2 === 0 ? ({ kind: 'calling' } as const) : ({ kind: 'coming', etaMinutes: pick } as const)
      return [{ type: 'acknowledge', now, contactId: contact.contactId, promise }, null]
    }
    case 'decline':
      return [{ type: 'decline', now, contactId: which === 0 ? null : contact.contactId }, null]
    case 'addContact':
      return [{ type: 'addContact', now, contact }, null]
    case 'shift':
      return [{ type: 'shiftDeadlines', now, byMs: (which - 10) * 1_000 }, null]
    case 'raise':
      return [raiseAt(seconds), null]
    case 'repeat':
      return [
        raiseAt(seconds),
        { incidentId: incident.id, receivedAt: now - after * 1_000, fingerprint: alertAt(seconds).fingerprint },
      ]
    case 'outcome':
      // Now and then it is the outcome of an earlier try.
      return [
        {
          type: 'recordOutcome',
          now,
          attemptId,
          outcome: nthOf(outcomes, which),
          jitter: pick / 60,
          earlierTries: (attempt === undefined ? 0 : earlierTries(attempt)) - (which === 7 ? 1 : 0),
        },
        null,
      ]
    case 'receipt':
      return [{ type: 'recordReceipt', now, attemptId, receipt: nthOf(receipts, which) }, null]
    case 'reckonAnew':
      return [{ type: 'reckonAnew', now, from: now - after * 1_000 }, null]
    case 'cancel':
    case 'resolve':
    case 'resume':
    case 'restore':
      return [{ type: what, now }, null]
    default:
      return [{ type: 'proceed', now, inFlight: which % 3 === 0 ? [attemptId] : [], ...turns }, null]
  }
}

type Turned = {
  readonly command: Command
  readonly before: Incident
  readonly decision: Decision
  readonly after: Incident
}

/** Plays the turns, and passes each one to `check` with the incident before and after it. */
function play(start: Given, turns: readonly Turn[], held: boolean, check: (turned: Turned) => void): void {
  let plan = planOf(start)
  let now = momentAt(0)
  let incident: Incident = { ...pressed(start).incident, held }
  for (const each of turns) {
    const due = nextActionAt(incident)
    now = each.what === 'next' && due !== null ? Math.max(now, due) : now + each.after * 1_000
    // The contacts of the account change while the incident is open.
    if (each.what === 'raise') plan = planOf({ ...start, contacts: names.slice(each.pick % 3, 1 + (each.which % 4)) })
    const [command, earlier] = commandOf(each, incident, now)
    const before = incident
    const lastSeenAt = each.which % 3 === 0 ? now - each.pick * 60_000 : null
    const decision = decide(
      { incident, plan: needsPlan(incident, command) ? plan : null, earlier, lastSeenAt },
      command,
    )
    incident = decision.incident ?? incident
    check({ command, before, decision, after: incident })
  }
}

/**
 * What holds after every turn, by name. All of it is checked while the stories are played once: that takes several
 * times as long as most of the checks.
 */
const rules = new Map<string, (turned: Turned) => void>()

function rule(name: string, check: (turned: Turned) => void): void {
  assert.ok(!rules.has(name), name)
  rules.set(name, check)
}

const lifecycle: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  scheduled: ['scheduled', 'sent', 'delivered', 'failed', 'skipped'],
  sent: ['sent', 'delivered', 'failed'],
  delivered: ['delivered'],
  failed: ['failed'],
  skipped: ['skipped'],
}
const transitions: Readonly<Record<IncidentStatus, readonly IncidentStatus[]>> = {
  active: ['active', 'acknowledged', 'cancelled', 'resolved'],
  acknowledged: ['acknowledged', 'cancelled', 'resolved'],
  cancelled: ['cancelled'],
  resolved: ['resolved'],
}
const isClosed = (incident: Incident): boolean => incident.state.closedAt !== null
const isWaiting = (row: Delivery): boolean => row.status === 'scheduled' && row.claim === null

rule('no command throws, and none mutates its input', ({ before, after }) => {
  if (!Object.isFrozen(before)) deepFreeze(before)
  deepFreeze(after)
})

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
}

/** What the snapshot shows, made once for each incident: it is the one after a turn and the one before the next. */
const shown = new WeakMap<Incident, string>()
function shownOf(incident: Incident): string {
  const known = shown.get(incident) ?? JSON.stringify(itemsOf(incident))
  shown.set(incident, known)
  return known
}

rule(
  'snapshotVersion grows by one exactly when the snapshot changes, and sos.actuator_update says so once',
  ({ before, after, decision, command }) => {
    const updates = decision.events.filter(({ message }) => message.type === 'sos.actuator_update')
    // keeping.md#restore: nobody is notified, and every later version is new to every client.
    if (command.type === 'restore' && !isClosed(before)) {
      assert.deepEqual([after.snapshotVersion, updates], [before.snapshotVersion + 10_000, []])
      return
    }
    if (after.id !== before.id) {
      assert.equal(after.snapshotVersion, 1)
      assert.equal(updates.length, 0)
      return
    }
    const changed = before !== after && shownOf(before) !== shownOf(after)
    assert.equal(after.snapshotVersion, before.snapshotVersion + (changed ? 1 : 0))
    assert.equal(updates.length, changed ? 1 : 0)
  },
)

rule(
  'events come in order and carry the committed state, and processed comes only with an opening',
  ({ before, after, decision }) => {
    const types = decision.events.map(({ message }) => message.type)
    assert.equal(types.includes('processed'), after.id !== before.id)
    if (types.includes('sos.actuator_update')) assert.equal(types.at(-1), 'sos.actuator_update')
    const status = after.state.status
    const turned = after.id === before.id && status !== before.state.status
    const told = types.filter((type) => type === 'acknowledged' || type === 'cancelled' || type === 'resolved')
    assert.deepEqual(told, turned ? [status] : [])
    for (const { message } of decision.events) {
      assert.equal(message.status, status)
      assert.ok(message.snapshotVersion === undefined || message.snapshotVersion === after.snapshotVersion)
      assert.equal(message.updatedAt, new Date(after.updatedAt).toISOString())
    }
  },
)

rule('no status goes back, and no row is lost', ({ before, after, decision }) => {
  if (after.id !== before.id) {
    assert.ok(isClosed(before), 'a new incident while one was open')
    return
  }
  assert.ok(transitions[before.state.status].includes(after.state.status))
  if (before.state.acknowledgedAt !== null) assert.equal(after.state.acknowledgedAt, before.state.acknowledgedAt)
  for (const row of before.deliveries) {
    const now = [...after.deliveries, ...decision.folded].find(({ id }) => id === row.id)
    assert.equal(now?.id, row.id)
    assert.ok(lifecycle[row.status].includes(now?.status ?? 'skipped'), `${row.status} became ${now?.status}`)
    if (now?.status !== 'scheduled') assert.equal(now?.claim, null)
  }
  const ids = after.deliveries.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const { contactId } of before.contacts) assert.ok(after.contacts.some((known) => known.contactId === contactId))
})

rule('a closed incident sends, plans and keeps no alarm', ({ before, after, decision }) => {
  if (isClosed(after))
    assert.deepEqual(
      after.deliveries.filter((row) => row.purpose === 'alarm' && isWaiting(row)),
      [],
    )
  if (!isClosed(before) || after.id !== before.id) return
  assert.deepEqual(
    decision.claimed.filter((row) => row.purpose === 'alarm'),
    [],
  )
  const alarms = (incident: Incident) => incident.deliveries.filter((row) => row.purpose === 'alarm').length
  assert.equal(alarms(after) + decision.folded.filter(({ purpose }) => purpose === 'alarm').length, alarms(before))
})

rule('an open incident sends no all-clear, and a closed one at most one per target', ({ after }) => {
  const allClears = after.deliveries.filter((row) => row.purpose === 'all_clear')
  if (!isClosed(after) || !after.settings.allClear) assert.deepEqual(allClears, [])
  const targets = allClears.map((row) => `${row.channel} ${row.contactId}`)
  assert.equal(new Set(targets).size, targets.length)
})

rule('after an answer no contact has a waiting attempt until something alarms again', ({ command, before, after }) => {
  // A kept press and a silent helper alarm again too.
  if (after.id !== before.id || needsPlan(before, command)) return
  const waits = (incident: Incident) =>
    incident.deliveries.some(
      (row) => row.actuator === 'emergency_contacts' && row.purpose === 'alarm' && isWaiting(row),
    )
  if (
    command.type === 'acknowledge' &&
    after.contacts.some(({ acknowledgedAt, gone }) => acknowledgedAt === command.now && !gone)
  ) {
    assert.equal(waits(after), false)
  }
  if (before.state.status === 'acknowledged' && !waits(before) && before.cascade.phase.name === 'answered') {
    assert.equal(waits(after), false)
  }
})

rule(
  'nextActionAt is in whole milliseconds, never null while open, and never later than anything that waits',
  ({ after }) => {
    const next = nextActionAt(after)
    if (after.held) {
      assert.equal(next, null)
      return
    }
    const moments = after.deliveries
      .filter((row) => row.status === 'scheduled')
      .map((row) => (row.claim === null ? row.dueAt : row.claim.checkAt))
    for (const { status, askAt } of after.deliveries) if (status === 'sent' && askAt) moments.push(askAt)
    if (!isClosed(after)) moments.push(after.autoResolveAt)
    if (moments.length === 0) assert.equal(next, null)
    else assert.ok(next !== null && next <= Math.min(...moments))
    for (const moment of moments) assert.ok(Number.isInteger(moment), `${moment} is no whole millisecond`)
  },
)

/** Some effects need another look or two, such as a round that ends as it begins or the all-clear of a resolution. */
function lookedAgain(incident: Incident, command: Command): Incident {
  let now = incident
  for (let looks = 0; looks < 4; looks += 1) {
    const plan = needsPlan(now, command) ? planOf({ contacts: ['Ana'] }) : null
    now = decide({ incident: now, plan }, command).incident ?? now
  }
  return now
}

rule(
  'proceed does everything that is due, claims nothing early or twice, and nothing while held',
  ({ command, before, after, decision }) => {
    if (command.type !== 'proceed') return
    for (const row of decision.claimed) {
      assert.ok(command.turns?.includes(row.id) !== false)
      const known = before.deliveries.find(({ id }) => id === row.id)
      assert.ok(row.dueAt <= command.now)
      assert.ok(known === undefined || isWaiting(known))
      assert.notEqual(row.claim, null)
    }
    if (before.held) assert.deepEqual([decision.claimed, decision.unsure], [[], []])
    else {
      const waitsForItsTurn = (row: Delivery) => isWaiting(row) && command.turns?.includes(row.id) === false
      assert.ok((nextActionAt(lookedAgain(after, command), waitsForItsTurn) ?? Infinity) > command.now)
    }
  },
)

rule('deciding the same again gives the same result', ({ command, before, decision }) => {
  const plan = command.type === 'raise' ? planOf({ contacts: ['Ana'] }) : null
  const situation = { incident: before, plan, earlier: null }
  assert.deepEqual(decide(situation, command), decide(situation, command))
  if (command.type === 'cancel' || command.type === 'acknowledge') {
    const again = decide({ ...situation, incident: decision.incident }, command)
    assert.ok(again.verdict === 'unchanged' || command.type === 'acknowledge')
  }
})

const STORIES = effort(60, 1_000)

test(`every rule holds after every turn of ${STORIES} random stories`, () => {
  const story = fc.tuple(given, fc.array(turn, { maxLength: 60, size: 'max' }), fc.integer({ min: 0, max: 9 }))
  const check = (turned: Turned): void => {
    for (const [name, holds] of rules) {
      try {
        holds(turned)
      } catch (error) {
        throw new Error(`it does not hold: ${name}`, { cause: error })
      }
    }
  }
  fc.assert(
    fc.property(story, ([start, turns, die]) => play(start, turns, die === 0, check)),
    { numRuns: STORIES },
  )
})

test('while an incident stays active, a re-alarm notifies everyone again, whatever happened before', () => {
  const story = fc.tuple(given, fc.array(turn, { maxLength: 25 }))
  fc.assert(
    fc.property(story, ([start, turns]) => {
      const sos = pressed({ ...start, contacts: ['Ana', 'Ben'], actuators: everyActuator })
      let last = 0
      play({ ...start, contacts: ['Ana', 'Ben'], actuators: everyActuator }, turns, false, ({ after, command }) => {
        sos.restores(after)
        last = secondsOf(command.now)
      })
      if (isClosed(sos.incident)) return
      // Long enough for every claim and retry to end, but well before the automatic close.
      const settled = last + 30
      // keeping.md#restore: an incident from a restored file never settles until the operator resumes it.
      sos.does(settled, { type: 'resume' })
      for (const row of sos.incident.deliveries) {
        if (row.claim !== null) sos.records(settled, row.id, { kind: 'no_target' })
      }
      // rules.md#re-alarm: a press during a round is part of that round, and persistence begins one every hour.
      let at = settled + 6_000
      for (sos.runTo(at); !isClosed(sos.incident) && !isQuiet(sos.incident); sos.runTo(at)) at += 30
      if (isClosed(sos.incident)) return
      sos.told.length = 0
      sos.presses(at)
      if (sos.incident.openedAt === momentAt(at)) return
      sos.runTo(at + 700, allGoesWell)
      for (const name of ['Ana', 'Ben'])
        assert.ok(
          sos.told.some((line) => line.endsWith(`sms ${name}`)),
          sos.told.join(', '),
        )
    }),
    { numRuns: effort(50, 500) },
  )
})
