import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { AttemptOutcome, Command } from '../../../src/core/incident/command.ts'
import { decide, needsLastSeen, needsPlan } from '../../../src/core/incident/decide.ts'
import type { Decision } from '../../../src/core/incident/decision.ts'
import type { Delivery } from '../../../src/core/incident/delivery.ts'
import type { EarlierAlert, Incident, PlannedContact } from '../../../src/core/incident/incident.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import type { Settings } from '../../../src/core/incident/settings.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { effort } from '../../harness/effort.ts'
import fc from '../../harness/fast-check.ts'
import { alertAt, contactCalled, failed, OWNER, PRESSED, planOf, RELAY, raiseAt, secondsOf } from '../build.ts'
import { Model, type Opening, type Result } from './model/model.ts'

const RUNS = effort(100, 5_000)
/** The bound of the record, in characters. */
const MAX_RECORD = 64 * 1_024
const names = ['Ana', 'Ben', 'Cleo', 'Dora']

/** One turn of a story: `after` seconds in which the dispatcher is on time (or asleep), then the event. */
type Turn = { readonly what: string; readonly after: number; readonly asleep: boolean; readonly pick: number }

const turn: fc.Arbitrary<Turn> = fc.record({
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('press', 'relayed', 'answer', 'promise', 'decline', 'nothing') },
    { weight: 4, arbitrary: fc.constantFrom('repeat', 'operator', 'undo', 'resend', 'stop', 'add', 'correct', 'seen') },
    { weight: 1, arbitrary: fc.constantFrom('cancel', 'resolve') },
  ),
  after: fc.oneof(
    fc.integer({ min: 0, max: 400 }),
    fc.constantFrom(1, 9, 10, 11, 60, 299, 300, 301, 600, 1_200, 1_800, 2_100, 3_600, 7_200, 6 * 3_600, 25 * 3_600),
  ),
  asleep: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  pick: fc.nat({ max: 30 }),
})

/** A helper who answers each question, and does nothing else: `after` seconds after it. */
const still: fc.Arbitrary<readonly Turn[]> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(0, 1, 60, 299, 300, 301))
  .map(([times, after]) => Array.from({ length: times }, () => ({ what: 'still', after, asleep: false, pick: 0 })))

const story: fc.Arbitrary<readonly Turn[]> = fc
  .array(fc.oneof({ weight: 12, arbitrary: fc.tuple(turn) }, { weight: 1, arbitrary: still }), { maxLength: 14 })
  .map((turns) => turns.flat())

type Given = {
  readonly contacts: number
  readonly by: Opening
  readonly settings: Partial<Settings>
  readonly results: readonly Result[]
}

const given: fc.Arbitrary<Given> = fc.record({
  contacts: fc.integer({ min: 1, max: 3 }),
  by: fc.constantFrom<Opening>('owner', 'owner', 'owner', 'relay', 'relay', 'drill'),
  settings: fc.record({
    graceSeconds: fc.constantFrom(0, 10),
    contactIntervalSeconds: fc.constantFrom(0, 30),
    ackTimeoutSeconds: fc.constantFrom(20, 60),
    voice: fc.boolean(),
    voiceAttempts: fc.integer({ min: 1, max: 3 }),
    rounds: fc.integer({ min: 1, max: 3 }),
    httpAttempts: fc.constant(1),
    allClear: fc.boolean(),
    realarmSeconds: fc.constantFrom(60, 300),
    autoResolveHours: fc.constantFrom(1, 24),
    persistHours: fc.constantFrom(0, 2, 12),
    watchMinutes: fc.constantFrom(0, 10, 30),
    tellOthers: fc.boolean(),
  }),
  /** How the providers answer successive attempts, as a cycle. */
  results: fc.oneof(
    fc.constant<Result[]>(['sent']),
    fc.array(fc.constantFrom<Result>('sent', 'delivered', 'refused', 'retryable'), { minLength: 1, maxLength: 6 }),
  ),
})

const outcomeOf: Record<Result, AttemptOutcome> = {
  sent: { kind: 'sent', provider: 'twilio', providerRef: 'SM1' },
  delivered: { kind: 'delivered', provider: 'http', providerRef: null },
  refused: failed('invalid number', false),
  retryable: failed('upstream HTTP 503', true),
}

/** Plays one story to the code and to the model, and compares the two after every step. */
function play({ contacts, by, settings, results }: Given, turns: readonly Turn[]): void {
  const actuators = { emergency_contacts: {}, webhook: { url: 'https://hook.example/' } }
  let book: readonly PlannedContact[] = names.slice(0, contacts).map(contactCalled)
  const plan = () => ({ ...planOf({ settings, actuators }), contacts: book })
  const log: string[] = []
  let incident: Incident | null = null
  /** Its snapshot's items. Most of the time of a story goes into them, so each is made once. */
  let items = ''
  /** The most parts its record has had. It is measured when it has more: to measure it takes as long as a step. */
  let largest = 0
  let taken = 0
  let now = PRESSED
  const model = new Model(
    plan().settings,
    book.map(({ name, phone }) => ({ name, phone })),
    by,
    now,
  )
  const nameOf = (id: string | null): string => incident?.contacts.find(({ contactId }) => contactId === id)?.name ?? ''
  const told = ({ purpose, channel, contactId, to }: Delivery): string =>
    [purpose, channel, nameOf(contactId), channel === 'webhook' ? '' : to].join(' ').trim()
  const phoneOf = (who: string): string => model.contacts.find(({ name }) => name === who)?.phone ?? ''
  /** The story so far may be long, so it is only formatted when needed. */
  const isTrue = (holds: boolean, what: () => string): void => {
    if (!holds) assert.fail(`${what()}\n${log.join('\n')}`)
  }
  const same = (actual: unknown, expected: unknown, what: string): void => {
    if (actual !== expected && !isDeepStrictEqual(actual, expected)) {
      assert.deepEqual(actual, expected, `${what} differs at ${secondsOf(now)} s\n${log.join('\n')}`)
    }
  }

  function does(command: Command, earlier: EarlierAlert | null = null): Decision {
    const before: Incident | null = incident
    const decision = decide(
      {
        incident: before,
        plan: before === null || needsPlan(before, command) ? plan() : null,
        earlier,
        lastSeenAt:
          before !== null && needsLastSeen(before, command) && Number.isFinite(model.lastSeenAt)
            ? model.lastSeenAt
            : null,
      },
      command,
    )
    const itemsBefore = items
    if (decision.incident !== null && decision.incident !== before) {
      incident = decision.incident
      items = JSON.stringify(snapshotOf(incident).items)
      const size = incident.deliveries.length + incident.folded.length + incident.contacts.length
      if (size > largest) isTrue(JSON.stringify(incident).length < MAX_RECORD, () => 'record too large')
      largest = Math.max(largest, size)
    }
    if (before !== null) {
      const changed = items !== itemsBefore
      same((incident as Incident).snapshotVersion - before.snapshotVersion, changed ? 1 : 0, 'snapshotVersion')
      const types = decision.events.map(({ message }) => message.type)
      const to = (incident as Incident).state.status
      const moved = to === before.state.status ? [] : [to]
      same(types.join(', '), [...moved, ...(changed ? ['sos.actuator_update'] : [])].join(', '), 'events')
    }
    return decision
  }

  function proceeds(at: number): void {
    now = at
    const claimed: Delivery[] = []
    let looks = 0
    do {
      isTrue(looks++ < 10, () => 'it never rests')
      claimed.push(...does({ type: 'proceed', now, inFlight: claimed.map(({ id }) => id) }).claimed)
    } while ((nextActionAt(incident as unknown as Incident) ?? Number.POSITIVE_INFINITY) <= now)
    const due = model.proceed(now)
    const words = due.map(({ purpose, channel, who }) => [purpose, channel, who, phoneOf(who)].join(' ').trim())
    if (words.length > 0) log.push(`${secondsOf(now)} ${words.join(', ')}`)
    same(claimed.map(told).sort().join(', '), words.sort().join(', '), 'who is told')
    for (const row of claimed) {
      const place = due.findIndex(
        ({ purpose, channel, who }) =>
          purpose === row.purpose && channel === row.channel && who === nameOf(row.contactId),
      )
      const [telling] = due.splice(place, 1)
      if (telling === undefined) throw new Error('compared before')
      const drawn = results[taken++ % results.length] as Result
      const result = telling.purpose !== 'alarm' ? 'sent' : row.channel === 'webhook' ? 'delivered' : drawn
      if (result === 'refused' || result === 'retryable') log.push(`${secondsOf(now)}   ${told(row)}: ${result}`)
      const outcome = outcomeOf[result]
      const recorded = { now, attemptId: row.id, outcome, jitter: 0.5, earlierTries: row.tries }
      does({ type: 'recordOutcome', ...recorded })
      const after = incident
      does({ type: 'recordOutcome', ...recorded })
      same(incident, after, 'an outcome that is recorded twice, because the first answer was lost')
      model.record(now, telling, result)
    }
    same((incident as unknown as Incident).state.status, model.status, 'status')
  }

  function runsTo(until: number): void {
    for (let steps = 0; steps < 20_000; steps++) {
      const at = nextActionAt(incident as Incident) ?? Number.POSITIVE_INFINITY
      isTrue(
        at <= Math.max(model.next(), now),
        () => `wakes at ${secondsOf(at)} s instead of ${secondsOf(model.next())} s`,
      )
      if (at > until) return
      proceeds(Math.max(at, now))
    }
    throw new Error(`it never rests\n${log.join('\n')}`)
  }

  function happens({ what, pick }: Turn): void {
    const seconds = secondsOf(now)
    const contact = book[pick % book.length] as PlannedContact
    log.push(
      `${seconds} ${what} ${['answer', 'promise', 'decline', 'stop', 'correct'].includes(what) ? contact.name : ''}`,
    )
    switch (what) {
      case 'press':
      case 'relayed':
        if (!model.isOpen) return
        if (by === 'drill') {
          does({ type: 'overtake', now })
          model.overtake(now)
          return
        }
        does(
          raiseAt(seconds, alertAt(seconds, { deviceId: `press ${log.length}` }), {
            reporterId: what === 'press' ? OWNER : RELAY,
          }),
        )
        model.press(now, what === 'press' ? 'owner' : 'relay')
        return
      case 'repeat':
        if (!model.isOpen || by === 'drill') return
        does(raiseAt(seconds, opening), { incidentId: 'x', receivedAt: PRESSED, fingerprint: opening.fingerprint })
        return
      case 'add': {
        const added = contactCalled(names[book.length % names.length] as string, book.length)
        if (book.length >= names.length || by === 'drill') return
        book = [...book, added]
        does({ type: 'addContact', now, contact: added })
        model.add(now, { name: added.name, phone: added.phone })
        return
      }
      case 'correct': {
        if (by === 'drill') return
        const corrected = { ...contact, phone: `${contact.phone}${pick % 10}`.slice(0, 16) }
        book = book.map((one) => (one.contactId === contact.contactId ? corrected : one))
        does({ type: 'updateContact', now, contact: corrected })
        model.correct(contact.name, corrected.phone)
        return
      }
      case 'answer':
        // A contact who joined after an answer belongs to the incident from the next alarm on.
        if (model.contacts.every(({ name }) => name !== contact.name)) return
        does({ type: 'acknowledge', now, contactId: contact.contactId })
        model.acknowledge(now, contact.name)
        return
      case 'still': {
        const helper = book.find(({ name }) => name === model.lastHelper)
        if (helper === undefined) return
        does({ type: 'acknowledge', now, contactId: helper.contactId })
        model.acknowledge(now, helper.name)
        return
      }
      case 'promise': {
        if (model.contacts.every(({ name }) => name !== contact.name)) return
        const minutes = [10, 30, 60, 120][pick % 5]
        const promise = minutes === undefined ? { kind: 'calling' } : { kind: 'coming', etaMinutes: minutes }
        does({ type: 'acknowledge', now, contactId: contact.contactId, promise } as Command)
        model.acknowledge(now, contact.name, minutes ?? 'calling')
        return
      }
      case 'decline':
        if (model.contacts.every(({ name }) => name !== contact.name)) return
        does({ type: 'decline', now, contactId: contact.contactId })
        model.decline(now, contact.name)
        return
      case 'stop':
        if (model.contacts.every(({ name }) => name !== contact.name)) return
        does({ type: 'stop', now, how: 'stop', contactId: contact.contactId })
        model.stop(now, contact.name)
        return
      case 'undo':
        does({ type: 'decline', now, contactId: null })
        model.decline(now, null)
        return
      case 'resend':
        if (model.contacts.every(({ name }) => name !== contact.name)) return
        does({ type: 'resend', now, contactId: contact.contactId })
        model.resend(now, contact.name)
        return
      case 'operator':
        does({ type: 'acknowledge', now, contactId: null })
        model.acknowledge(now, null)
        return
      case 'cancel':
      case 'resolve':
        // The user's own end never meets a drill.
        if (by === 'drill' && what === 'cancel') return
        does({ type: what, now })
        model.close(now, what === 'cancel' ? 'cancelled' : 'resolved')
        return
      case 'seen':
        model.lastSeenAt = now
        return
      default:
        return
    }
  }

  const opening = alertAt(0)
  const invented = { alert: opening, incidentId: 'drill', linkSecret: 'secret', toContacts: true }
  if (by === 'drill') does({ type: 'drill', now, ...invented })
  else does(raiseAt(0, opening, by === 'owner' ? {} : { reporterId: RELAY }))
  for (const one of turns) {
    const from = one.what === 'still' ? Math.max(now, model.questionAt ?? now) : now
    const until = from + one.after * 1_000
    // After a longer sleep the rules leave the order of an overdue end and overdue alarms open.
    if (!one.asleep || one.after > 60) runsTo(until)
    now = until
    proceeds(now)
    happens(one)
    proceeds(now)
  }
  runsTo(now + 30 * 24 * 3_600_000)
  isTrue(JSON.stringify(incident).length < MAX_RECORD, () => 'record too large')
  assert.ok(!model.isOpen, 'no incident lasts for ever')
}

test(`the code does what the rules say, over ${RUNS} random stories`, () => {
  fc.assert(fc.property(given, story, play), {
    numRuns: RUNS,
  })
})
