import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Facts, joined, learned, nothingKnown } from '../../sdk/src/sos/facts.ts'
import { taken } from '../../sdk/src/sos/held.ts'
import { isForward, stateOf } from '../../sdk/src/sos/state.ts'
import type { IncidentNews } from '../../sdk/src/wire/incident.ts'
import fc from '../harness/fast-check.ts'

const INCIDENT = '0190cccc-0000-7000-8000-000000000001'
const at = (second: number): string => new Date(Date.UTC(2026, 6, 4, 9, 0, second)).toISOString()

type Change = 'sent' | 'failed' | 'coming' | 'unable' | 'operator' | 'cancelled' | 'resolved'

/** The story of one incident as the service tells it: each change a version, some with an event without a snapshot. */
function storyOf(changes: readonly Change[]): readonly IncidentNews[] {
  const contact = {
    contactId: '0190cccc-0000-7000-8000-0000000000a1',
    name: 'Ana',
    priority: 1,
    status: 'scheduled' as const,
    channels: [{ channel: 'sms', status: 'scheduled' as const }],
  }
  const first: IncidentNews = {
    type: 'processed',
    incidentId: INCIDENT,
    status: 'active',
    occurredAt: at(0),
    openedAt: at(0),
    updatedAt: at(0),
    ...{ acknowledgedAt: null, acknowledgedBy: null, cancelledAt: null, resolvedAt: null, snapshotVersion: 1 },
    actuators: {
      snapshotVersion: 1,
      items: [
        {
          id: 'emergency_contacts',
          type: 'emergency_contacts',
          status: 'scheduled',
          outcome: 'pending',
          contacts: [contact],
        },
      ],
    },
  }
  const told = [first]
  for (const [place, change] of changes.entries()) {
    const last = told.at(-1)!
    if (last.status === 'cancelled' || last.status === 'resolved') break
    told.push(...afterwards(told.findLast(({ actuators }) => actuators !== undefined)!, change, place + 1))
  }
  return told
}

function afterwards(last: IncidentNews, change: Change, second: number): readonly IncidentNews[] {
  const version = last.snapshotVersion! + 1
  const [item] = last.actuators!.items
  const [contact] = item!.contacts!
  const moment = { updatedAt: at(second) }
  const withSnapshot = (
    envelope: Partial<IncidentNews>,
    entry: Partial<NonNullable<typeof contact>> = {},
    outcome = item!.outcome,
  ): IncidentNews => ({
    ...last,
    ...moment,
    ...envelope,
    type: 'sos.actuator_update',
    snapshotVersion: version,
    actuators: { snapshotVersion: version, items: [{ ...item!, outcome, contacts: [{ ...contact!, ...entry }] }] },
  })
  const bare = (type: string, news: IncidentNews): IncidentNews => {
    const { snapshotVersion: _, actuators: __, ...envelope } = news
    return { ...envelope, type }
  }
  switch (change) {
    case 'sent':
      return [withSnapshot({}, { status: 'sent' }, 'success')]
    case 'failed':
      return [withSnapshot({}, { status: 'failed' }, 'failure')]
    case 'coming':
    case 'operator': {
      const response = { kind: 'coming' as const, etaMinutes: 10, at: at(second) }
      const answer = change === 'coming' ? { response, acknowledgedAt: at(second) } : {}
      const kind = change === 'coming' ? ('contact' as const) : ('operator' as const)
      const by = last.acknowledgedBy ?? {
        kind,
        contactId: null,
        name: kind === 'contact' ? 'Ana' : 'Desk',
        at: at(second),
      }
      const next = withSnapshot(
        { status: 'acknowledged', acknowledgedAt: last.acknowledgedAt ?? at(second), acknowledgedBy: by },
        answer,
      )
      return [bare('acknowledged', next), next]
    }
    case 'unable': {
      const { acknowledgedAt: _, ...rest } = contact!
      const next = withSnapshot({})
      const entry = { ...rest, response: { kind: 'unable' as const, at: at(second) } }
      return [{ ...next, actuators: { snapshotVersion: version, items: [{ ...item!, contacts: [entry] }] } }]
    }
    case 'cancelled':
    case 'resolved': {
      const next = withSnapshot({ status: change, [`${change}At`]: at(second) })
      return [bare(change, next), next]
    }
    default:
      return change satisfies never
  }
}

const changes = fc.array(
  fc.constantFrom<Change>('sent', 'failed', 'coming', 'unable', 'operator', 'cancelled', 'resolved'),
  { maxLength: 8 },
)
const press = { id: 'p', of: 'a u', alert: { timestamp: at(0) }, keptAt: 0 }
const shown = (facts: Facts) => stateOf(facts, { press, end: null, kept: true, trouble: null, now: 0 })

suite('what is known of a press', () => {
  test('news in any order, some twice and some never, end at the same state as in order, once the last has come', () => {
    const shuffled = changes.chain((list) => {
      const told = storyOf(list)
      const any = fc.array(fc.nat({ max: told.length - 1 }), { maxLength: 20 })
      return fc.tuple(fc.constant(told), any, fc.shuffledSubarray([...told], { minLength: told.length }))
    })
    fc.assert(
      fc.property(shuffled, ([told, some, all]) => {
        const heard = [...some.map((place) => told[place]!), ...all]
        const ordered = told.reduce((facts, news) => learned(facts, news), nothingKnown)
        const mixed = heard.reduce((facts, news) => learned(facts, news), nothingKnown)
        assert.deepEqual(shown(mixed), shown(ordered))
      }),
      { numRuns: 300 },
    )
  })

  test('the step never goes back, nor does anything that it stands for', () => {
    const heard = changes.chain((list) => {
      const told = storyOf(list)
      return fc.array(fc.nat({ max: told.length - 1 }), { maxLength: 30 }).map((places) => places.map((n) => told[n]!))
    })
    fc.assert(
      fc.property(heard, (news) => {
        let facts = nothingKnown
        for (const one of news) {
          const next = learned(facts, one)
          assert.ok(isForward(shown(facts).step, shown(next).step))
          assert.ok((facts.incident?.snapshotVersion ?? 0) <= (next.incident?.snapshotVersion ?? 0))
          facts = next
        }
      }),
      { numRuns: 300 },
    )
  })

  test('two tabs that heard different news agree, whoever hears of the other first, and joining twice changes nothing', () => {
    const two = changes.chain((list) => {
      const told = storyOf(list)
      const side = fc.subarray([...told]).map((news) => news.reduce((facts, one) => learned(facts, one), nothingKnown))
      return fc.tuple(side, side)
    })
    fc.assert(
      fc.property(two, ([a, b]) => {
        const both = joined(a, b)
        assert.deepEqual(shown(joined(b, a)), shown(both))
        assert.deepEqual(joined(both, a), both)
        assert.deepEqual(joined(both, both), both)
      }),
      { numRuns: 300 },
    )
  })

  test('helpers are who helps now: a withdrawn one stays in the list as unable, and the step stays', () => {
    const told = storyOf(['sent', 'coming', 'unable'])
    const states = told.map((_, n) =>
      shown(told.slice(0, n + 1).reduce((facts, one) => learned(facts, one), nothingKnown)),
    )
    assert.deepEqual(
      states.map(({ step, helped, helpers }) => [
        step,
        helped,
        helpers.map(({ name, answer, eta }) => [name, answer, eta]),
      ]),
      [
        ['onServer', false, []],
        ['alerted', false, []],
        ['coming', false, []],
        ['coming', true, [['Ana', 'coming', 10]]],
        ['coming', false, [['Ana', 'unable', null]]],
      ],
    )
  })

  test('an operator is a helper as well', () => {
    const facts = storyOf(['operator']).reduce((known, one) => learned(known, one), nothingKnown)
    assert.deepEqual(shown(facts).helpers, [
      { contactId: null, name: 'Desk', kind: 'operator', answer: 'answered', eta: null, at: at(1) },
    ])
  })

  test('news of another incident replaces nothing by merging', () => {
    const [first] = storyOf([])
    const other = { ...first!, incidentId: '0190cccc-0000-7000-8000-000000000002' }
    assert.equal(taken(taken(null, first!), other).incidentId, other.incidentId)
  })

  test('control: a reducer that takes what comes last goes back', () => {
    const told = storyOf(['sent', 'coming'])
    const last = [...told].reverse().reduce((_, news) => learned(nothingKnown, news), nothingKnown)
    assert.equal(shown(last).step, 'onServer')
  })
})
