import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextActionAt } from '../../../src/core/incident/next-action.ts'
import { everyActuator, momentAt, pressed, secondsOf } from '../build.ts'

// rules.md#re-alarm: re-alarm is measured from the last alarm, never from the last alert.

test('presses every second after an answer alarm again once the distance has passed', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { realarmSeconds: 2, voice: false } })
  sos.runTo(10)
  sos.acknowledges(11, 'Ana')
  sos.told.length = 0
  for (let second = 12; second <= 25; second += 1) {
    sos.presses(second)
    sos.runTo(second + 0.9)
  }
  // 2 s after the answer, then 4, then 8: the distance doubles once someone has answered.
  assert.deepEqual(sos.told, ['13 sms Ana', '17 sms Ana', '25 sms Ana'])
})

test('a press that comes too early is kept, and alarms once the distance has passed', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false } })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  sos.told.length = 0
  sos.presses(20)
  assert.equal(secondsOf(nextActionAt(sos.incident) ?? 0), 315)
  sos.runTo(400)
  // All contacts together, because someone had answered.
  assert.deepEqual(sos.told.slice(0, 2), ['315 sms Ana', '315 sms Ben'])
  assert.deepEqual(sos.incident.cascade.cause, {
    by: 'owner',
    again: { pressedAt: momentAt(20), receivedAt: momentAt(20) },
  })
})

test('after an answer the distance doubles with each re-alarm up to an hour; without one it stays', () => {
  const distances = (answers: boolean) => {
    const sos = pressed({ contacts: ['Ana'], settings: { voice: false, rounds: 1, watchMinutes: 0 } })
    sos.runTo(10)
    if (answers) sos.acknowledges(15, 'Ana')
    sos.told.length = 0
    for (let second = 20; second < 30_000; second += 60) {
      sos.presses(second)
      sos.runTo(second + 59)
    }
    const at = sos.told.map((line) => Number(line.split(' ')[0]))
    return at.slice(1, 8).map((second, place) => second - at[place]!)
  }
  assert.deepEqual(distances(true), [600, 1_200, 2_400, 3_600, 3_600, 3_600, 3_600])
  assert.deepEqual(distances(false), [300, 300, 300, 300, 300, 300, 300])
})

test('only the first answer of a round moves a deadline: repeated answers silence nobody', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
  sos.runTo(10)
  sos.acknowledges(20, 'Ana')
  sos.presses(25)
  sos.told.length = 0
  for (let second = 30; second < 320; second += 10) {
    sos.acknowledges(second, second % 20 === 0 ? 'Ana' : 'Ben')
    sos.runTo(second)
  }
  sos.runTo(320)
  assert.deepEqual(sos.told, ['320 sms Ana', '320 sms Ben'])
})

test('a press while contacts are being notified for the first time is part of that alarm', () => {
  const sos = pressed({ contacts: ['Ana'] })
  sos.runTo(10)
  sos.presses(20)
  sos.acknowledges(25, 'Ana')
  sos.told.length = 0
  sos.runTo(2_000)
  assert.deepEqual(sos.told, [])
})

test('a relay cannot silence: its alerts move no deadline of the owner', () => {
  const sos = pressed({ contacts: ['Ana'], settings: { voice: false, realarmSeconds: 60 } })
  sos.runTo(10)
  sos.acknowledges(15, 'Ana')
  sos.told.length = 0
  // An attacker who knows the hardware id relays endlessly, and a contact answers each of these alarms immediately.
  for (let second = 16; second < 200; second += 1) {
    sos.isRelayed(second)
    sos.runTo(second)
    if (sos.incident.cascade.phase.name !== 'answered') sos.acknowledges(second, 'Ana')
  }
  assert.deepEqual(sos.told, ['75 sms Ana', '195 sms Ana'])
  // The owner's distance is still measured from the first answer: the press alarms immediately.
  sos.presses(200)
  sos.runTo(200)
  assert.deepEqual(sos.told.at(-1), '200 sms Ana')
  assert.equal(sos.incident.cascade.cause.by, 'owner')
})

test('an alarm that a relay opened and a contact ended does not delay the owner’s first press', () => {
  const relayed = pressed({ contacts: ['Ana'], settings: { voice: false } }, 'relay')
  relayed.runTo(10)
  relayed.acknowledges(11, 'Ana')
  relayed.told.length = 0
  relayed.presses(12)
  relayed.runTo(12)
  assert.deepEqual(relayed.told, ['12 sms Ana'])
})

test('a further press that changes nothing visible changes neither version nor updatedAt', () => {
  const sos = pressed({ contacts: ['Ana'] })
  const { snapshotVersion, updatedAt } = sos.incident
  const { events } = sos.presses(5)
  assert.deepEqual(events, [])
  assert.deepEqual([sos.incident.snapshotVersion, sos.incident.updatedAt], [snapshotVersion, updatedAt])
})

test('chat and webhook hear the whole story, and the snapshot shows none of it', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator, settings: { voice: false, rounds: 1 } })
  sos.runTo(200)
  sos.presses(400)
  sos.runTo(401)
  sos.acknowledges(410, 'Ben')
  sos.runTo(420)
  sos.cancels(430)
  sos.runTo(431)
  const ofChat = [...sos.told, ...sos.news].filter((line) => line.includes('chat'))
  assert.deepEqual(ofChat, [
    '10 chat',
    '430 chat ok',
    '100 chat unanswered',
    '400 chat reopened',
    '410 chat acknowledged',
  ])
  assert.equal(sos.rows('chat').length, 1)
})

test('two answers within the grace window make one post each to chat and webhook, and both are recorded', () => {
  const sos = pressed({ contacts: ['Ana', 'Ben'], actuators: everyActuator })
  sos.acknowledges(3, 'Ana')
  sos.acknowledges(5, 'Ben')
  sos.runTo(60)
  assert.deepEqual(sos.news.toSorted(), ['10 chat acknowledged', '10 webhook acknowledged'])
  assert.equal(sos.incident.lastAnswer?.name, 'Ben')
  assert.deepEqual(
    sos.incident.contacts.map(({ acknowledgedAt }) => acknowledgedAt),
    [momentAt(3), momentAt(5)],
  )
})
