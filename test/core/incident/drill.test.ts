import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/incident/decide.ts'
import { MAX_DRILLS_A_DAY } from '../../../src/core/incident/drill.ts'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import {
  alertAt,
  everyActuator,
  type Given,
  momentAt,
  OWNER,
  planOf,
  pressed,
  raiseAt,
  type Story,
  type Timeless,
} from '../build.ts'

const HALF_AN_HOUR = 1_800

const drilling = (seconds: number) =>
  ({
    type: 'drill',
    alert: alertAt(seconds, { latitude: 0, longitude: 0 }),
    incidentId: `drill-${seconds}`,
    linkSecret: 'drill-secret',
    toContacts: true,
  }) as const satisfies Timeless

/** A drill that begins at 0, of a user whose last incident is over. */
function drilled(given: Given = {}): Story {
  const story = pressed({ contacts: ['Ana', 'Ben'], ...given })
  story.cancels(0)
  assert.equal(story.does(0, drilling(0)).verdict, 'opened')
  story.told.length = 0
  return story
}

const lasting = { rounds: 3, persistHours: 12, watchMinutes: 10, autoResolveHours: 24 }

// preparing.md#drills.
test('a drill that the user starts tells no chat and no webhook, and leaves operators half of the day’s drills', () => {
  const story = pressed({ contacts: ['Ana'], actuators: everyActuator })
  story.cancels(0)
  const own = { ...drilling(0), toContacts: false, isOwn: true } as const
  assert.equal(story.does(0, own).verdict, 'opened')
  story.told.length = 0
  story.runTo(HALF_AN_HOUR)
  assert.deepEqual(
    story.told.filter((line) => /chat|webhook/.test(line)),
    [],
  )
  const before = (drillsBefore: number, isOwn?: true) =>
    decide(
      { incident: null, earlier: null, plan: planOf({ contacts: ['Ana'] }), drillsBefore },
      { ...drilling(0), now: momentAt(0), ...(isOwn && { isOwn }) },
    ).refused
  assert.deepEqual([before(99, true), before(100, true), before(100)], [undefined, 'too_many_drills', undefined])
})

test('a drill runs one round, whatever the rules of the application are, and ends after 30 min with closing texts', () => {
  const drill = drilled({ settings: { ...lasting, voice: false }, actuators: everyActuator })
  drill.runTo(HALF_AN_HOUR - 1)
  assert.equal(drill.incident.cascade.round, 1)
  assert.equal(drill.incident.state.status, 'active')
  assert.deepEqual(
    drill.told.filter((line) => /Ana|Ben/.test(line)).map((line) => line.replace(/^\S+ /, '')),
    ['sms Ana', 'http Ana', 'sms Ben', 'http Ben'],
  )
  drill.runTo(HALF_AN_HOUR)
  assert.deepEqual([drill.incident.state.status, drill.incident.closing?.by], ['resolved', 'system'])
  assert.ok(drill.told.includes(`${HALF_AN_HOUR} sms Ana ok`))
  drill.runTo(10 * HALF_AN_HOUR)
  assert.equal(nextActionAt(drill.incident), null)
  assert.ok(drill.news.every((line) => !line.includes('last_call')))
})

test('nothing prolongs a drill: no answer, no position, no change of mind, no doubted clock', () => {
  const drill = drilled({ settings: lasting })
  drill.isSeen(1_700)
  drill.runTo(600)
  drill.acknowledges(600, 'Ana')
  drill.runTo(HALF_AN_HOUR - 1)
  assert.equal(drill.incident.watch, null)
  assert.equal(drill.incident.state.status, 'acknowledged')
  drill.does(HALF_AN_HOUR - 1, { type: 'reckonAnew', from: momentAt(HALF_AN_HOUR - 1) })
  drill.runTo(2 * HALF_AN_HOUR)
  assert.equal(drill.incident.state.status, 'resolved')
})

test('nobody who answered a drill is asked again, and who withdraws alarms nobody', () => {
  const drill = drilled({ settings: lasting })
  drill.runTo(20)
  drill.does(30, { type: 'acknowledge', contactId: 'contact-Ana', promise: { kind: 'coming', etaMinutes: 5 } })
  drill.does(60, { type: 'decline', contactId: 'contact-Ana' })
  const before = drill.told.length
  drill.runTo(HALF_AN_HOUR - 1)
  assert.equal(drill.told.length, before)
  assert.deepEqual(
    drill.news.filter((line) => line.includes('check_in')),
    [],
  )
})

test('a press ends a drill without a text to contacts and chat, and the webhook hears of it', () => {
  const drill = drilled({ actuators: everyActuator })
  drill.runTo(20)
  drill.acknowledges(30, 'Ana')
  drill.runTo(40)
  const before = drill.told.length
  drill.does(50, { type: 'overtake' })
  assert.deepEqual([drill.incident.state.status, drill.incident.drill?.isOvertaken], ['resolved', true])
  drill.runTo(HALF_AN_HOUR)
  assert.deepEqual(drill.told.slice(before), ['50 webhook ok'])
})

test('only a drill is overtaken, and only once', () => {
  const sos = pressed({ contacts: ['Ana'] })
  assert.equal(sos.does(1, { type: 'overtake' }).verdict, 'unchanged')
  const drill = drilled()
  drill.does(1, { type: 'overtake' })
  assert.equal(drill.does(2, { type: 'overtake' }).verdict, 'unchanged')
})

test('a press that is handed a drill opens an incident of its own', () => {
  const { incident } = drilled()
  const opened = decide({ incident, plan: planOf({ contacts: ['Ana'] }) }, raiseAt(5))
  assert.equal(opened.verdict, 'opened')
  assert.notEqual(opened.incident?.id, incident.id)
  assert.equal(opened.incident?.drill, undefined)
})

test('a restored file ends its drills', () => {
  const drill = drilled()
  drill.runTo(20)
  const before = drill.told.length
  drill.does(30, { type: 'restore' })
  assert.deepEqual([drill.incident.state.status, drill.incident.held], ['resolved', false])
  drill.runTo(HALF_AN_HOUR)
  assert.equal(drill.told.length, before)
})

test('no drill beside an incident, another drill, or beyond what an application may have a day', () => {
  const refusedBy = (sos: Story) => {
    const { verdict, refused } = sos.does(1, drilling(1))
    return [verdict, refused]
  }
  assert.deepEqual(refusedBy(pressed()), ['unchanged', 'incident_open'])
  assert.deepEqual(refusedBy(drilled()), ['unchanged', 'drill_open'])
  const command = { ...drilling(1), now: momentAt(1) }
  const about = { incident: null, plan: planOf({}) }
  const { verdict, refused, incident } = decide({ ...about, drillsBefore: MAX_DRILLS_A_DAY }, command)
  assert.deepEqual([verdict, refused, incident], ['unchanged', 'too_many_drills', null])
  assert.equal(decide({ ...about, drillsBefore: MAX_DRILLS_A_DAY - 1 }, command).verdict, 'opened')
})

test('nobody who says that they do not know the user takes part, and the owner hears of nothing', () => {
  const plan = planOf({ contacts: ['Ana', 'Ben'] })
  const contacts = plan.contacts.map((contact) =>
    contact.name === 'Ana' ? { ...contact, isStranger: true as const } : contact,
  )
  const { incident, events } = decide(
    { incident: null, plan: { ...plan, contacts } },
    { ...drilling(0), now: momentAt(0) },
  )
  assert.deepEqual(
    incident?.contacts.map(({ name }) => name),
    ['Ben'],
  )
  assert.equal(incident?.userId, OWNER)
  assert.deepEqual(
    events.map(({ topics, message }) => [topics, message.drill]),
    [[[], true]],
  )
})
