import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CANARY_APP_ID } from '../../../src/core/account/canary.ts'
import { onCallContactId } from '../../../src/core/account/fallback-contact.ts'
import { type OnCall, withAccounts } from '../../../src/core/account/on-call.ts'
import { defaultSettings } from '../../../src/core/account/settings.ts'
import type { AlarmPlan } from '../../../src/core/incident/alarm-plan.ts'
import { alarmPlanOf } from '../../../src/core/incident/alarm-plan.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { failed, type Given, momentAt, planOf, pressed, raiseAt, secondsOf, sent } from '../build.ts'

// rules.md#on-call

const onCall: OnCall = {
  timeZone: 'UTC',
  handOverAt: '12:10',
  startsOn: '2025-12-31',
  everyDays: 1,
  order: ['ivo', 'lea'],
  afterMinutes: 5,
  people: ['ivo', 'lea'].map((id, place) => ({
    ...{ id, name: id, phone: `+4366${place}`, language: 'de', operatorId: null, told: null },
  })),
  overrides: [],
  version: 1,
  reviewedAt: 0,
}
const settings = { graceSeconds: 10, voiceAttempts: 1 }

/** Pressed where somebody is on call. `told`: without the times. */
function alarmed(given: Given = {}, more: { readonly onCall?: OnCall | undefined; readonly watchedAt?: number } = {}) {
  const { onCall: list, watchedAt = null } = { onCall, ...more }
  const plan: AlarmPlan = {
    ...planOf({ contacts: ['Ana'], settings, ...given }),
    ...(list && { onCall: { list, watchedAt } }),
  }
  const sos = pressed({ contacts: ['Ana'], settings, ...given })
  sos.resolves(0.1)
  sos.goesBy(plan)
  sos.presses(1)
  sos.told.length = 0
  const toldOnCall = () => sos.told.filter((row) => / (ivo|lea)$/.test(row))
  return { sos, plan, toldOnCall }
}

suite('somebody is on call', () => {
  test('an alarm that nobody takes alerts them by SMS and call, and they answer as a contact does', () => {
    const { sos, toldOnCall } = alarmed({ settings: { ...settings, rounds: 1 } })
    sos.runTo(140)
    assert.deepEqual(toldOnCall(), ['71 sms ivo', '131 voice ivo'])
    const entry = sos.incident.contacts.at(-1)
    assert.deepEqual([entry?.name, entry?.onCall, entry?.joined], ['ivo', true, { by: 'operator' }])
    sos.does(150, { type: 'acknowledge', contactId: entry!.contactId })
    assert.deepEqual([sos.incident.state.status, sos.incident.lastAnswer?.name], ['acknowledged', 'ivo'])
    sos.runTo(900)
    assert.deepEqual(toldOnCall().length, 2, 'and no other')
  })

  test('while an operator has the board open it waits for them, as long as the list says', () => {
    const { sos, plan, toldOnCall } = alarmed()
    for (const seconds of [60, 120, 180, 240, 300, 360]) {
      sos.goesBy({ ...plan, onCall: { list: onCall, watchedAt: momentAt(seconds) } })
      sos.runTo(seconds + 20)
    }
    assert.deepEqual(toldOnCall(), ['311 sms ivo', '371 voice ivo'])
    const left = alarmed()
    for (const seconds of [60, 120]) {
      left.sos.goesBy({ ...plan, onCall: { list: onCall, watchedAt: momentAt(seconds) } })
      left.sos.runTo(seconds + 20)
    }
    left.sos.runTo(400)
    assert.equal(left.toldOnCall()[0], '251 sms ivo', 'the screen is gone')
  })

  test('contacts are told at the same moments as without them, in every round', () => {
    const long = { contacts: ['Ana', 'Ben'], settings: { ...settings, rounds: 3, persistHours: 2 } }
    const { sos, toldOnCall } = alarmed(long)
    const without = alarmed(long, { onCall: undefined })
    sos.runTo(6000)
    without.sos.runTo(6000)
    assert.ok(toldOnCall().length > 4, 'they are told again in later rounds')
    assert.deepEqual(
      sos.told.filter((row) => !toldOnCall().includes(row)),
      without.sos.told,
    )
  })

  test('one who gives no answer: after five minutes the next in turn is alerted as well; nobody twice', () => {
    const { sos, toldOnCall } = alarmed({ settings: { ...settings, rounds: 1 } })
    sos.runTo(1500)
    assert.deepEqual(toldOnCall(), ['71 sms ivo', '131 voice ivo', '371 sms lea', '431 voice lea'])
  })

  test('at a hand-over the next one is alerted as well, who takes no turns', () => {
    const eva = { ...onCall.people[0]!, id: 'eva', name: 'eva', phone: '+43999' }
    const override = { id: 'o', personId: 'eva', from: momentAt(600), until: momentAt(3000), setAt: 0 }
    const list = { ...onCall, order: ['ivo'], people: [...onCall.people, eva], overrides: [override] }
    const { sos } = alarmed({ settings: { ...settings, rounds: 1 } }, { onCall: list })
    sos.runTo(1500)
    assert.deepEqual(
      sos.told.filter((row) => / (ivo|lea|eva)$/.test(row)),
      ['71 sms ivo', '131 voice ivo', '671 sms eva', '731 voice eva'],
    )
  })

  test('nobody is alerted on an account that is disabled, and no more once it is', () => {
    const people = onCall.people.map((one) => ({ ...one, operatorId: one.id }))
    const disabled = withAccounts({ ...onCall, people }, ['ivo'])
    const { sos, toldOnCall } = alarmed({ settings: { ...settings, rounds: 1 } }, { onCall: disabled })
    sos.runTo(1500)
    assert.deepEqual(toldOnCall(), ['71 sms lea', '131 voice lea'])
    const later = alarmed({ settings: { ...settings, rounds: 1 } })
    later.sos.runTo(200)
    later.sos.goesBy({ ...later.plan, onCall: { list: disabled, watchedAt: null } })
    later.sos.presses(1000)
    later.sos.runTo(1500)
    assert.deepEqual(
      later.toldOnCall().filter((row) => row.endsWith('ivo')),
      ['71 sms ivo', '131 voice ivo'],
    )
  })

  test('a number that nothing reaches: the next in turn is alerted at once', () => {
    const { sos, toldOnCall } = alarmed({ settings: { ...settings, rounds: 1 } })
    const isIvo = ({ contactId }: { readonly contactId: string | null }) => contactId === onCallContactId('ivo')
    sos.runTo(300, (row) => (isIvo(row) ? failed('invalid number', false) : sent))
    assert.deepEqual(toldOnCall(), ['71 sms ivo', '71 voice ivo', '71 sms lea', '131 voice lea'])
  })

  for (const by of ['operator', 'contact'] as const) {
    test(`an alarm that an ${by} has taken alerts nobody on call`, () => {
      const { sos, toldOnCall } = alarmed()
      if (by === 'contact') sos.acknowledges(60, 'Ana')
      else sos.does(60, { type: 'acknowledge', contactId: null, name: 'Eva', operatorId: 'eva' })
      sos.runTo(1500)
      assert.deepEqual(toldOnCall(), [])
    })
  }

  test('once the only helper withdraws, it waits again for somebody who takes it', () => {
    const { sos, toldOnCall } = alarmed()
    sos.acknowledges(60, 'Ana')
    sos.does(1000, { type: 'decline', contactId: 'contact-Ana' })
    sos.runTo(1700)
    assert.deepEqual(toldOnCall()[0], '1060 sms lea')
  })

  test('a person without contacts: whoever is on call is told, and the next one', () => {
    const { sos, toldOnCall } = alarmed({ contacts: [], settings: { ...settings, rounds: 2 } })
    sos.runTo(1000)
    assert.deepEqual(toldOnCall().slice(0, 4), ['71 sms ivo', '131 voice ivo', '371 sms lea', '431 voice lea'])
  })

  test('a contact with the same number is not alerted twice, and a gap is asked about again', () => {
    const [ivo, lea] = onCall.people
    const people = [{ ...ivo!, phone: '+43000000000001' }, lea!]
    const { sos, toldOnCall } = alarmed({ settings: { ...settings, rounds: 1 } }, { onCall: { ...onCall, people } })
    sos.runTo(1000)
    assert.deepEqual(toldOnCall(), ['371 sms lea', '431 voice lea'], 'not at the first look: Ivo has it as a contact')
    const stopped = alarmed({ settings: { ...settings, rounds: 1 } }, { onCall: { ...onCall, people } })
    stopped.sos.does(30, { type: 'stop', contactId: 'contact-Ana', how: 'stop' })
    stopped.sos.runTo(200)
    assert.equal(stopped.toldOnCall()[0], '71 sms ivo', 'Ana, at the same number, wants no messages as a contact')
    const gap = alarmed({}, { onCall: { ...onCall, startsOn: '2026-01-01' } })
    gap.sos.runTo(800)
    assert.deepEqual(gap.toldOnCall()[0], '671 sms ivo')
  })

  test('a list that has been emptied meanwhile is a gap: once somebody is on it again, they are alerted', () => {
    const { sos, plan, toldOnCall } = alarmed()
    const { onCall: _, ...none } = plan
    sos.goesBy(none)
    sos.runTo(500)
    assert.deepEqual(toldOnCall(), [])
    sos.goesBy(plan)
    sos.runTo(1000)
    assert.deepEqual(toldOnCall()[0], '671 sms lea')
  })

  test('where an alarm most likely is none: with chat and fallback contact, but not with the board alone', () => {
    for (const [few, names] of [
      ['board', []],
      ['fallback', ['ivo']],
      ['first', ['Ana', 'ivo']],
    ] as const) {
      const { sos, plan } = alarmed({ settings: { ...settings, rounds: 1, persistHours: 1 } })
      sos.resolves(2)
      sos.goesBy({ ...plan, onCall: { list: { ...onCall, everyDays: 31 }, watchedAt: null } })
      sos.told.length = 0
      sos.presses(100, { few })
      sos.runTo(3000)
      assert.deepEqual([...new Set(sos.told.map((row) => row.split(' ').at(-1)))], names, few)
      assert.ok(few !== 'first' || sos.told.filter((row) => row.endsWith('sms Ana')).length > 1, 'in every round')
    }
  })

  test('a drill and the canary alert nobody, and a moved clock moves the wait', () => {
    const { sos, plan } = alarmed()
    const drill = decide(
      { incident: null, plan },
      { ...raiseAt(0), type: 'drill', toContacts: true, sparesFallback: false },
    )
    assert.equal(drill.incident?.onCall, undefined)
    const { actuators } = plan
    const application = {
      ...{ id: CANARY_APP_ID, legacy: false, language: 'en', settings: {}, actuators },
      ...{ fallbackContact: null, silentByDefault: false },
    }
    const user = { id: 'u', externalUserId: 'u' }
    assert.equal(alarmPlanOf({ user, application, contacts: [], onCall }, defaultSettings).onCall, undefined)
    assert.ok(
      alarmPlanOf({ user, application: { ...application, id: 'a' }, contacts: [], onCall }, defaultSettings).onCall,
    )
    sos.runTo(200)
    const due = sos.incident.onCall?.nextAt
    sos.does(200, { type: 'shiftDeadlines', byMs: 1000 })
    assert.equal(sos.incident.onCall?.nextAt, due! + 1000)
    assert.equal(secondsOf(due!), 371)
    sos.does(201, { type: 'restore' })
    assert.equal(nextActionAt(sos.incident), null, 'held')
    assert.ok(momentAt(0) > 0)
  })
})
