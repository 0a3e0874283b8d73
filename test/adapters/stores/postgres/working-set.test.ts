import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DoorCall, type Found, inStoredTime } from '../../../../src/adapters/stores/postgres/incidents/ask.ts'
import { WorkingSet } from '../../../../src/adapters/stores/postgres/incidents/working-set.ts'
import { bothClocks } from '../../../../src/lib/waited.ts'
import type { Committed } from '../../../../src/ports/store.ts'
import { at, incidentOf } from '../../../contract/site.ts'
import { alertAt, isoAfter, momentAt, OWNER, planOf, RELAY, raiseAt } from '../../../core/build.ts'

/** What is found for a user without an incident. */
const nothing: Found = {
  isLocked: true,
  ownerId: OWNER,
  ownerNumber: 7,
  unknownDevice: false,
  number: null,
  incident: null,
  isListed: false,
  newest: { own: null, ofDevice: null, listed: null, other: null },
  drill: null,
  drillsBefore: 0,
  strangersDrills: null,
  before: null,
  earlier: null,
  plan: planOf({ contacts: ['Ana', 'Ben'] }),
  attempt: null,
  jumpedMs: 0,
  named: null,
  isAwaited: false,
  hasCome: false,
  loadedAt: 0,
  nextNumber: 100,
}

const openOf = { openOf: OWNER }

function pressing(seconds: number, fields: Record<string, unknown> = {}) {
  return { key: openOf, command: raiseAt(seconds, alertAt(seconds, fields)) }
}

test('a second press of a batch joins the incident that the first one opened, and is one row with it', () => {
  const set = new WorkingSet()
  const first = set.apply(pressing(0), nothing)
  const second = set.apply(pressing(60), { ...nothing, nextNumber: 101 })
  assert.deepEqual([first.verdict, second.verdict], ['opened', 'updated'])
  const { opened, changed, alerts, tokens } = set.rows()
  assert.deepEqual([opened.length, changed.length, alerts.length, tokens.length], [1, 0, 2, 2])
  assert.deepEqual([opened[0]?.number, opened[0]?.record], [100, second.incident])
  assert.deepEqual(set.opened, [OWNER])
})

test('the same press twice in a batch is a repeat', () => {
  const set = new WorkingSet()
  const press = pressing(0)
  set.apply(press, nothing)
  const again = set.apply({ ...press, command: { ...press.command, incidentId: 'another' } }, nothing)
  assert.equal(again.verdict, 'repeated')
  assert.equal(set.rows().alerts.length, 1)
})

test('open, close and open again in one batch: two rows, of which one is open', () => {
  const set = new WorkingSet()
  const first = incidentOf(set.apply(pressing(0), nothing))
  const closed = set.apply(
    { key: openOf, command: { type: 'cancel', now: momentAt(5) } },
    { ...nothing, nextNumber: null },
  )
  assert.equal(closed.incident?.id, first.id)
  const third = incidentOf(set.apply(pressing(60), { ...nothing, nextNumber: 102 }))
  assert.notEqual(third.id, first.id)
  assert.deepEqual(
    set.rows().opened.map(({ number, open }) => [number, open]),
    [
      [100, false],
      [102, true],
    ],
  )
})

/** An incident as the database has it, and how it is found. */
function stored(): { found: Found; committed: Committed } {
  const committed = new WorkingSet().apply(pressing(0, at(47)), nothing)
  const own = {
    latitude: 47,
    longitude: 11,
    altitude: null,
    accuracy: null,
    source: 'session' as const,
    at: isoAfter(0),
    ms: momentAt(0),
    nanos: 0,
  }
  const newest = { ...nothing.newest, own }
  return { committed, found: { ...nothing, number: 5, incident: committed.incident, newest, nextNumber: null } }
}

test('commands by id and by owner meet in the same incident', () => {
  const { found, committed } = stored()
  const { id, contacts } = incidentOf(committed)
  const set = new WorkingSet()
  const { contactId } = contacts[0]!
  const acknowledged = set.apply(
    { key: { incidentId: id }, command: { type: 'acknowledge', contactId, now: momentAt(20) } },
    found,
  )
  const closed = set.apply({ key: openOf, command: { type: 'resolve', now: momentAt(30) } }, found)
  assert.equal(acknowledged.incident?.state.status, 'acknowledged')
  assert.equal(closed.incident?.state.acknowledgedAt, momentAt(20))
  const { changed, opened, tokens } = set.rows()
  assert.deepEqual([changed.length, opened.length], [1, 0])
  assert.deepEqual([changed[0]?.number, changed[0]?.open, changed[0]?.record], [5, false, closed.incident])
  // The acknowledgement belongs to the contact's entry, whose link is registered once more.
  assert.ok(tokens.every(({ incidentNumber }) => incidentNumber === 5))
})

test('a command that changes nothing writes nothing', () => {
  const set = new WorkingSet()
  const none = set.apply(
    { key: openOf, command: { type: 'cancel', now: momentAt(0) } },
    { ...nothing, nextNumber: null },
  )
  assert.equal(none.verdict, 'unchanged')
  assert.ok(Object.values(set.rows()).every(({ length }) => length === 0))
})

test('the last position is the newest by event time, whatever came last', () => {
  const { found } = stored()
  const set = new WorkingSet()
  const newer = set.apply(pressing(60, at(48)), found)
  const older = set.apply(pressing(30, at(49)), found)
  assert.deepEqual([newer.lastPosition?.latitude, older.lastPosition?.latitude], [48, 48])
  assert.equal(set.rows().trail.length, 2)
  assert.deepEqual(set.grown, [5, 5, 5, 5])
})

test('a relayed alert is remembered as one', () => {
  const set = new WorkingSet()
  set.apply({ key: openOf, command: raiseAt(0, alertAt(0), { reporterId: RELAY }) }, nothing)
  const [alert] = set.rows().alerts
  assert.deepEqual([alert?.relayed, alert?.userNumber, alert?.incidentNumber], [true, 7, 100])
})

const drilling = (seconds: number, incidentId: string) => {
  const command = { type: 'drill', now: momentAt(seconds), alert: alertAt(seconds), toContacts: false } as const
  return { key: openOf, command: { ...command, incidentId, linkSecret: 'drill-secret' } }
}

// preparing.md#drills.
test('a drill and a press of one batch never meet, whichever comes first', () => {
  const set = new WorkingSet()
  const drill = set.apply(drilling(0, 'drill-1'), nothing)
  const press = set.apply(pressing(0), { ...nothing, nextNumber: 101 })
  assert.deepEqual([drill.verdict, press.verdict], ['opened', 'opened'])
  assert.equal(press.incident?.drill, undefined)
  const again = set.apply(pressing(1), { ...nothing, nextNumber: 102 })
  const refused = set.apply(drilling(2, 'drill-2'), { ...nothing, nextNumber: 103 })
  assert.deepEqual([again.incidentId, again.verdict], [press.incidentId, 'updated'])
  assert.deepEqual(
    [refused.verdict, refused.refused, refused.incidentId],
    ['unchanged', 'incident_open', press.incidentId],
  )
  const { opened, alerts } = set.rows()
  assert.deepEqual(
    opened.map(({ number, open, drill: isDrill, closedAt }) => [number, open, isDrill, closedAt]),
    [
      [100, false, true, momentAt(0)],
      [101, true, false, null],
    ],
  )
  assert.equal(alerts.length, 2, 'the alert of a drill is not remembered')
})

test('an answer to a stored drill and a press of one batch: the drill is answered and ends, the press is alone', () => {
  const drill = incidentOf(new WorkingSet().apply(drilling(0, 'drill-1'), nothing))
  const { contactId } = drill.contacts[0]!
  const found: Found = { ...nothing, drill: { number: 5, incident: drill } }
  for (const answersFirst of [true, false]) {
    const set = new WorkingSet()
    const acknowledge = { type: 'acknowledge', contactId, now: momentAt(20) } as const
    const answer = () =>
      set.apply(
        { key: { incidentId: drill.id }, command: acknowledge },
        { ...nothing, number: 5, incident: drill, nextNumber: null },
      )
    if (answersFirst) answer()
    const press = set.apply(pressing(20), found)
    if (!answersFirst) answer()
    assert.deepEqual([press.verdict, press.incident?.state.status], ['opened', 'active'])
    const { changed, opened } = set.rows()
    assert.deepEqual(
      [...changed, ...opened].map(({ number, open }) => [number, open]),
      [
        [5, false],
        [100, true],
      ],
    )
    assert.equal((changed[0]!.record as typeof drill).state.status, 'resolved')
    assert.equal((changed[0]!.record as typeof drill).state.acknowledgedAt, answersFirst ? momentAt(20) : null)
  }
})

// rules.md#ends.
test('an end without a name is decided by the moment at which its incident was loaded, not by its own', () => {
  const { found } = stored()
  const end = { kind: 'unnamed', since: momentAt(10), decideBy: momentAt(15) } as const
  const command = { type: 'cancel', now: momentAt(10), end } as const
  const { wall, monotonic } = bothClocks()
  const verdictOf = (call: Partial<DoorCall>, loadedAt = 0) =>
    new WorkingSet().apply({ key: openOf, command, ...call }, { ...found, loadedAt }).verdict
  assert.equal(verdictOf({ handedIn: { wall, monotonic } }), 'changed')
  assert.equal(verdictOf({ handedIn: { wall: wall - 6_000, monotonic } }), 'too_late')
  assert.equal(verdictOf({ handedIn: { wall, monotonic: monotonic - 6_000 } }), 'too_late')
  const withdrawal = new Int32Array(new SharedArrayBuffer(4)).fill(1)
  assert.equal(verdictOf({ handedIn: { wall, monotonic }, withdrawal }), 'too_late')
  // The whole machine stood still: only the server's clock has moved.
  assert.equal(verdictOf({ handedIn: { wall, monotonic }, followedMs: 0 }, momentAt(16)), 'too_late')
  assert.equal(verdictOf({ handedIn: { wall, monotonic }, followedMs: 0 }, momentAt(14)), 'changed')
})

test('the moments of an end follow the stored time, as those of its incident did', () => {
  const end = { kind: 'unnamed', since: 10, decideBy: 15 } as const
  const call = { key: openOf, command: { type: 'cancel', now: 12, end }, followedMs: 100 } as const
  const { command } = inStoredTime<DoorCall>(call, { jumpedMs: 1_100 })
  assert.deepEqual(command, { type: 'cancel', now: 1_012, end: { ...end, since: 1_010, decideBy: 1_015 } })
})

test('a command that may not open an incident has no number for one', () => {
  assert.throws(() => new WorkingSet().apply(pressing(0), { ...nothing, nextNumber: null }), /may not open one/)
})

/** The notices of a batch: of which incident, with how many events. */
const noticesOf = (set: WorkingSet) =>
  set.rows().notices.map(({ incident, mark, notice }) => {
    const { events } = JSON.parse(notice as string)
    return { incident, isMarked: mark !== null, events: events.length }
  })

test('presses that alarm nobody again leave one notice for all of a batch', () => {
  const { found, committed } = stored()
  const set = new WorkingSet()
  for (const seconds of [11, 12, 13]) {
    const { verdict, events } = set.apply(pressing(seconds), found)
    assert.deepEqual([verdict, events.length], ['updated', 0])
  }
  assert.deepEqual(noticesOf(set), [{ incident: incidentOf(committed).id, isMarked: false, events: 0 }])
})

test('where a batch has an event of the incident, its presses need no notice of their own', () => {
  const { found } = stored()
  const set = new WorkingSet()
  set.apply(pressing(11), found)
  const { events } = set.apply({ key: openOf, command: { type: 'cancel', now: momentAt(12) } }, found)
  assert.deepEqual(
    noticesOf(set).map(({ events }) => events),
    [events.length],
  )
})

test('a press that is repeated leaves no notice', () => {
  const { found } = stored()
  const set = new WorkingSet()
  const { receivedAt, fingerprint } = alertAt(11)
  const earlier = { incidentId: incidentOf({ incident: found.incident }).id, receivedAt, fingerprint, isRelayed: false }
  assert.equal(set.apply(pressing(11), { ...found, earlier }).verdict, 'repeated')
  assert.deepEqual(noticesOf(set), [])
})

test('an operator who takes what a contact has answered leaves a notice, though it is no event; a second time not', () => {
  const { found, committed } = stored()
  const { id, contacts } = incidentOf(committed)
  const answered = (contactId: string | null, seconds: number, known: Found) => {
    const set = new WorkingSet()
    const command = { type: 'acknowledge', contactId, now: momentAt(seconds) } as const
    const { incident, events } = set.apply({ key: { incidentId: id }, command }, known)
    return { found: { ...known, incident }, events: events.length, notices: noticesOf(set).length }
  }
  const contact = answered(contacts[0]!.contactId, 20, found)
  const operator = answered(null, 90, contact.found)
  const again = answered(null, 91, operator.found)
  assert.deepEqual([contact.notices, operator.notices, again.notices], [1, 1, 0])
  assert.equal(operator.events, 0)
})
