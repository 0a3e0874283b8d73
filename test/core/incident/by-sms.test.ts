import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fallbackContactId } from '../../../src/core/account/fallback-contact.ts'
import type { Command } from '../../../src/core/incident/command.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { placesOf, whereaboutsOf } from '../../../src/core/incident/places.ts'
import { alertSourceOf, isOfOthers } from '../../../src/core/incident/raise.ts'
import { sourceText } from '../../../src/core/text/source-words.ts'
import { alertAt, isoAfter, momentAt, planOf, raiseAt } from '../build.ts'

// sms.md#sms-sos.

const FROM = '+436641234567'
type Raise = Extract<Command, { type: 'raise' }>
type BySms = NonNullable<Raise['bySms']>

const usual = planOf({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
const fallback = { ...usual.contacts[0]!, contactId: fallbackContactId(usual.appId), name: 'Desk', priority: 3 }
const plan = { ...usual, contacts: [...usual.contacts, fallback] }

const sent = (seconds: number, bySms: Partial<BySms> = {}, more: Partial<Raise> = {}): Raise =>
  raiseAt(seconds, alertAt(seconds), { bySms: { from: FROM, isCoded: false, ...bySms }, ...more })
const decided = (incident: Incident | null, command: Raise): Incident => decide({ incident, plan }, command).incident!
/** `Ana 10`: when each contact's SMS is due, in seconds. */
const due = ({ deliveries, contacts }: Incident): readonly string[] =>
  deliveries
    .filter(({ channel }) => channel === 'sms')
    .map(({ contactId, dueAt }) => {
      const name = contacts.find((contact) => contact.contactId === contactId)?.name
      return `${name} ${(dueAt - momentAt(0)) / 1000}`
    })

suite('an SOS by SMS', () => {
  test('without the code it counts as another user’s', () => {
    const incident = decided(null, sent(0))
    assert.deepEqual(incident.raisedByOthers, { deviceId: `SMS ${FROM}`, at: incident.raisedByOthers!.at })
    assert.deepEqual([incident.relayUserId, incident.isRelayUnlisted], [null, undefined])
    assert.equal(incident.cascade.cause.by, 'relay')
    assert.equal(incident.realarms.owner.since, null)
    assert.deepEqual(due(incident), ['Ana 10', 'Ben 40', 'Desk 70'])
    const bare = { from: FROM, isCoded: false }
    assert.equal(alertSourceOf('mia', { reporterId: 'mia', bySms: bare }, true), 'other')
    assert.ok(isOfOthers('mia', { reporterId: 'mia', bySms: bare }))
  })

  test('with the code it is the owner’s', () => {
    const incident = decided(null, sent(0, { isCoded: true }))
    assert.deepEqual(
      [incident.raisedByOthers, incident.relayUserId, incident.cascade.cause.by],
      [undefined, null, 'owner'],
    )
    const bySms = { from: FROM, isCoded: true }
    assert.equal(alertSourceOf('mia', { reporterId: 'mia', bySms }, false), 'session')
    assert.ok(!isOfOthers('mia', { reporterId: 'mia', bySms }))
  })

  test('a press in the app, or a text with the code, confirms it', () => {
    const incident = decided(null, sent(0))
    assert.equal(decided(incident, raiseAt(5, alertAt(5))).raisedByOthers, undefined)
    assert.equal(decided(incident, sent(5, { isCoded: true })).raisedByOthers, undefined)
    assert.deepEqual(decided(incident, sent(5)).raisedByOthers, incident.raisedByOthers)
  })

  test('its position stays one by SMS when the person has pressed as well, and a tracker’s one beside it does not become one', () => {
    const placed = (n: number, coded: boolean) =>
      sent(n, { isCoded: coded }, { alert: alertAt(n, { latitude: 47, longitude: 12 }) })
    const first = decided(null, placed(0, false))
    const { at } = first.raisedByOthers!
    assert.deepEqual(first.textedAt, [at])
    const pressed = decided(first, raiseAt(5, alertAt(5)))
    const place = { latitude: 47, longitude: 12, altitude: null, source: 'other' } as const
    const shown = (when: string) =>
      placesOf(pressed, whereaboutsOf({ own: null, ofDevice: null, listed: null, other: { ...place, at: when } }))
    assert.deepEqual(shown(at!), [{ ...place, at, bySms: true }])
    assert.equal(sourceText('en', shown(at!)[0]!), 'SMS')
    assert.equal(sourceText('en', shown(isoAfter(9))[0]!), 'tracker, through another user')
    assert.equal(decided(null, placed(0, true)).textedAt, undefined)
    const many = Array.from({ length: 30 }, (_, n) => placed(n, false)).reduce<Incident | null>(decided, null)
    assert.equal(many?.textedAt?.length, 20)
  })

  test('a forged text moves nothing of an alarm that the person has pressed', () => {
    const incident = decided(null, raiseAt(0, alertAt(0)))
    const after = decided(incident, sent(5))
    assert.deepEqual([after.raisedByOthers, after.relayUserId, after.isRelayUnlisted], [undefined, null, undefined])
    assert.deepEqual([due(after), after.realarms.owner], [due(incident), incident.realarms.owner])
  })

  test('after answers "not me" the fallback contact comes first and the others after 2 min, or as soon as the person presses', () => {
    const incident = decided(null, sent(0, { later: true }))
    assert.deepEqual(due(incident), ['Desk 10', 'Ana 120', 'Ben 150'])
    assert.deepEqual(due(decided(incident, sent(20))), due(incident))
    assert.deepEqual(due(decided(incident, raiseAt(20, alertAt(20)))), ['Desk 10', 'Ana 20', 'Ben 50'])
    assert.deepEqual(due(decided(incident, sent(20, { isCoded: true }))), ['Desk 10', 'Ana 20', 'Ben 50'])
  })

  test('without a fallback contact the others still come', () => {
    const incident = decide({ incident: null, plan: usual }, sent(0, { later: true })).incident!
    assert.deepEqual(due(incident), ['Ana 120', 'Ben 150'])
    const alone = decide({ incident: null, plan: { ...plan, contacts: [fallback] } }, sent(0, { later: true }))
      .incident!
    assert.deepEqual(due(alone), ['Desk 10'])
  })

  test('beyond its bounds it reaches board, chat and fallback contact, until somebody presses', () => {
    const incident = decided(null, sent(0, {}, { few: 'fallback' }))
    assert.deepEqual(due(incident), ['Desk 10'])
    assert.deepEqual(decide({ incident, plan }, sent(5, {}, { few: 'fallback' })).verdict, 'repeated')
    const all = decided(incident, sent(30, { isCoded: true }))
    assert.equal(all.few, undefined)
    assert.deepEqual(due(all).slice(-3), ['Desk 10', 'Ana 30', 'Ben 60'])
  })

  test('an end of the app’s own press that came before does not stop a text', () => {
    const coded = sent(0, { isCoded: true })
    assert.equal(decide({ incident: null, plan, isAwaited: true }, coded).verdict, 'opened')
  })
})
