import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../../src/core/account/settings.ts'
import type { PlannedContact } from '../../../src/core/incident/alarm-plan.ts'
import type { AttemptOutcome, Command } from '../../../src/core/incident/command.ts'
import { decide, needsLastSeen, needsPlan } from '../../../src/core/incident/decide.ts'
import type { Decision } from '../../../src/core/incident/decision.ts'
import type { Delivery } from '../../../src/core/incident/delivery.ts'
import type { EarlierAlert, Incident } from '../../../src/core/incident/incident.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { contactsSee } from '../../../src/core/incident/places.ts'
import { positionAccess } from '../../../src/core/incident/position-access.ts'
import { snapshotOf } from '../../../src/core/incident/snapshot.ts'
import { effort } from '../../harness/effort.ts'
import fc from '../../harness/fast-check.ts'
import { alertAt, contactCalled, failed, OWNER, PRESSED, planOf, RELAY, raiseAt, secondsOf } from '../build.ts'
import { type By, Model, type Opening, type Result } from './model/model.ts'

const RUNS = effort(60, 5_000)
/** The bound of the record, in characters. */
const MAX_RECORD = 64 * 1_024
const names = ['Ana', 'Ben', 'Cleo', 'Dora', 'Emil', 'Fay']

/** One turn of a story: `after` seconds in which the dispatcher is on time (or asleep), then the event. */
type Turn = { readonly what: string; readonly after: number; readonly asleep: boolean; readonly pick: number }

const turn: fc.Arbitrary<Turn> = fc.record({
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('press', 'relayed', 'answer', 'promise', 'decline', 'nothing') },
    { weight: 4, arbitrary: fc.constantFrom('repeat', 'operator', 'undo', 'resend', 'stop', 'seen', 'listed') },
    { weight: 4, arbitrary: fc.constantFrom('add', 'correct', 'remove', 'show', 'stranger') },
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
  contacts: fc.integer({ min: 0, max: 3 }),
  by: fc.constantFrom<Opening>('owner', 'owner', 'owner', 'relay', 'relay', 'listed', 'drill'),
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

/** Turns that need a contact. */
const withContact = ['answer', 'promise', 'decline', 'stop', 'stranger', 'resend', 'show']
const bySession = (by: By) => (by === 'session' ? ({ bySession: true } as const) : {})

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
  let added = contacts
  const isDrill = by === 'drill'
  let now = PRESSED
  const model = new Model(
    plan().settings,
    book.map(({ name, phone }) => ({ who: name, of: name, phone })),
    by,
    now,
  )
  /** The numbers of a story are never the same, so that they tell the entries of one contact apart. */
  let numbers = 0
  const nextPhone = (): string => `+4369911${String(numbers++).padStart(4, '0')}`
  const entryOf = (who: string) => {
    const phone = phoneOf(who)
    return (incident as Incident | null)?.contacts.find((entry) => entry.phone === phone)
  }
  const nameOf = (id: string | null): string => {
    const phone = incident?.contacts.find(({ contactId }) => contactId === id)?.phone
    return model.contacts.find((one) => one.phone === phone)?.who ?? ''
  }
  const told = ({ purpose, channel, contactId, to }: Delivery): string =>
    [purpose, channel, nameOf(contactId), channel === 'webhook' ? '' : to].join(' ').trim()
  const phoneOf = (one: string): string => model.contacts.find(({ who }) => who === one)?.phone ?? ''
  /** The story so far may be long, so it is only formatted when needed. */
  const isTrue = (holds: boolean, what: () => string): void => {
    if (!holds) assert.fail(`${what()}\n${log.join('\n')}`)
  }
  const same = (actual: unknown, expected: unknown, what: string): void => {
    if (actual !== expected && !isDeepStrictEqual(actual, expected)) {
      assert.deepEqual(actual, expected, `${what} differs at ${secondsOf(now)} s\n${log.join('\n')}`)
    }
  }

  function does(command: Command, earlier: EarlierAlert | null = null, isListed = false): Decision {
    const before: Incident | null = incident
    const decision = decide(
      {
        incident: before,
        plan: before === null || needsPlan(before, command) ? plan() : null,
        earlier,
        isListed,
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
    const after = incident as unknown as Incident
    same(after.state.status, model.status, 'status')
    same(contactsSee(after), model.positions, 'which positions are seen')
    for (const { who } of model.contacts) {
      const entry = entryOf(who)
      same(entry && positionAccess(after, entry) === 'shown', model.sees(who), `whether ${who} sees the position`)
    }
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
    const who = model.contacts[pick % model.contacts.length]?.who ?? ''
    const contactId = entryOf(who)?.contactId ?? ''
    const by = pick % 3 === 0 ? 'operator' : 'session'
    const ender = what === 'cancel' || pick % 2 === 0 ? 'user' : 'operator'
    const changed = book[pick % book.length]
    log.push(`${seconds} ${what} ${who} (${changed?.name}, ${by}, ${pick})`)
    if (contactId === '' && withContact.includes(what)) return
    switch (what) {
      case 'press':
      case 'relayed':
      case 'listed': {
        if (!model.isOpen) return
        if (isDrill) {
          does({ type: 'overtake', now })
          model.overtake(now)
          return
        }
        does(
          raiseAt(seconds, alertAt(seconds, { deviceId: `press ${log.length}` }), {
            reporterId: what === 'press' ? OWNER : RELAY,
          }),
          null,
          what === 'listed',
        )
        model.press(now, what === 'press' ? 'owner' : what === 'listed' ? 'listed' : 'relay')
        return
      }
      case 'repeat':
        if (!model.isOpen || isDrill) return
        does(raiseAt(seconds, opening), { incidentId: 'x', receivedAt: PRESSED, fingerprint: opening.fingerprint })
        return
      case 'add': {
        const name = names[added]
        if (name === undefined || isDrill) return
        const contact = { ...contactCalled(name, added++), phone: nextPhone() }
        book = [...book, contact]
        does({ type: 'addContact', now, contact, ...bySession(by) })
        model.add(now, name, contact.phone, by)
        return
      }
      case 'correct': {
        // The rules leave open whether another number takes back in this incident what the old one has said.
        if (isDrill || changed === undefined || model.hasSpoken(changed.name)) return
        const corrected = { ...changed, phone: nextPhone() }
        book = book.map((one) => (one === changed ? corrected : one))
        does({ type: 'updateContact', now, contact: corrected, bySession: true })
        model.correct(now, changed.name, corrected.phone)
        return
      }
      case 'remove': {
        if (isDrill || changed === undefined) return
        book = book.filter((one) => one !== changed)
        does({ type: 'removeContact', now, contactId: changed.contactId })
        model.remove(now, changed.name)
        return
      }
      case 'show': {
        const other = model.contacts[(pick >> 2) % model.contacts.length]?.who ?? ''
        if (model.isGone(who)) return
        const giver = pick % 4 === 0 ? null : other
        does({ type: 'showPosition', now, contactId, by: giver === null ? null : (entryOf(other)?.contactId ?? '') })
        model.show(who, giver)
        return
      }
      case 'answer':
        does({ type: 'acknowledge', now, contactId })
        model.acknowledge(now, who)
        return
      case 'still': {
        const helper = model.lastHelper
        const entry = helper === null ? undefined : entryOf(helper)
        if (entry === undefined) return
        does({ type: 'acknowledge', now, contactId: entry.contactId })
        model.acknowledge(now, helper)
        return
      }
      case 'promise': {
        const minutes = [10, 30, 60, 120][pick % 5]
        const promise = minutes === undefined ? { kind: 'calling' } : { kind: 'coming', etaMinutes: minutes }
        does({ type: 'acknowledge', now, contactId, promise } as Command)
        model.acknowledge(now, who, minutes ?? 'calling')
        return
      }
      case 'decline':
        does({ type: 'decline', now, contactId })
        model.decline(now, who)
        return
      case 'stop':
      case 'stranger':
        does({ type: 'stop', now, how: what, contactId })
        model.stop(now, who, what)
        return
      case 'undo':
        does({ type: 'decline', now, contactId: null })
        model.decline(now, null)
        return
      case 'resend':
        does({ type: 'resend', now, contactId })
        model.resend(now, who)
        return
      case 'operator':
        does({ type: 'acknowledge', now, contactId: null })
        model.acknowledge(now, null)
        return
      case 'cancel':
      case 'resolve':
        // The user's own end never meets a drill.
        if (isDrill && what === 'cancel') return
        does({ type: what, now, by: ender })
        model.close(now, what === 'cancel' ? 'cancelled' : 'resolved', ender)
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
  else does(raiseAt(0, opening, by === 'owner' ? {} : { reporterId: RELAY }), null, by === 'listed')
  for (const one of turns) {
    const from = one.what === 'still' ? Math.max(now, model.questionAt ?? now) : now
    const until = from + one.after * 1_000
    // After a longer sleep the rules leave the order of an overdue end and overdue alarms open; and without contacts,
    // when a round ends that has no attempt.
    if (!one.asleep || one.after > 60 || contacts === 0) runsTo(until)
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
