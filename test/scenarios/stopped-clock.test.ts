import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSite } from '../harness/site.ts'

/** The time sent by a tracker whose clock starts in 1970 and is never set. */
const STOPPED = '1970-01-01T00:00:00Z'

test('every press of a tracker that always says 1970 counts as a separate press', async (t) => {
  const settings = { voice: false, allClear: false, rounds: 1, persistHours: 0 }
  const site = await startSite(t, { contacts: ['Ana'], settings })
  const { user } = site
  const ana = site.phone('Ana')
  const press = { timestamp: STOPPED, deviceId: 'TRK-1' }

  await user.presses(press)
  await site.advance('11 s')
  const [sms] = await ana.messages()
  assert.match(sms?.text ?? '', /needs help/)
  assert.doesNotMatch(sms?.text ?? '', /1970/)
  await ana.pressesTheButton()

  await user.presses(press)
  await site.advance('11 s')
  assert.equal((await ana.messages()).length, 1, 'the very next packet may be the same one once more')

  await site.advance('5 min')
  assert.equal((await ana.messages()).length, 2, 'it alarms again when the distance to the answer has passed')

  await site.advance('10 min')
  await user.presses(press)
  await site.advance('11 s')
  assert.equal((await ana.messages()).length, 3, 'a press that comes later alarms again')

  await user.ends('cancel')
  await user.presses(press)
  await site.advance('11 s')
  assert.equal((await ana.messages()).length, 4, 'after the end a press opens an incident')
})

test('over REST too: accepted, flagged, and the original text is kept', async (t) => {
  const site = await startSite(t)
  const { user, clock } = site
  for (const timestamp of [STOPPED, new Date(clock.now() - 31 * 24 * 3_600_000).toISOString()]) {
    const pressed = await user.rest('POST', '/v1/sdk/sos', { timestamp })
    assert.equal(pressed.status, 201)
    assert.equal(pressed.body.incident.occurredAt, new Date(clock.now()).toISOString())
    const [{ creationTelemetry }] = await user.history()
    assert.equal(creationTelemetry.timestamp, timestamp)
    assert.deepEqual(
      creationTelemetry.warnings.map(({ field }: { field: string }) => field),
      ['timestamp'],
    )
    await user.ends('cancel')
    await site.advance('1 min')
  }
})

test('of five rows with a stopped clock five are kept, in order of arrival', async (t) => {
  const site = await startSite(t)
  const { user } = site
  const rows = [1, 2, 3, 4, 5].map((mobileBattery) => ({
    timestamp: STOPPED,
    mobileBattery,
    latitude: 47,
    longitude: 12,
  }))

  const appended = await user.rest('POST', '/telemetry/history', rows)
  assert.deepEqual(appended.body, { accepted: 5, duplicates: 0, rejected: [] })
  await Promise.all(rows.map((row) => user.moves(row)))
  for (const row of rows) assert.equal((await user.rest('POST', '/v1/sdk/telemetry', row)).status, 202)

  const { body } = await user.rest('GET', '/v1/sdk/telemetry/history?limit=100')
  assert.equal(body.items.length, 15)
  assert.deepEqual(new Set(body.items.map(({ timestamp }: { timestamp: string }) => timestamp)), new Set([STOPPED]))
  const batteries = body.items.map(({ mobileBattery }: { mobileBattery: number }) => mobileBattery)
  assert.deepEqual(batteries.slice(-5), [5, 4, 3, 2, 1], 'newest first')
})

test('a tracker with a stopped clock leaves a trail', async (t) => {
  const site = await startSite(t)
  const { user } = site
  await user.presses({ timestamp: STOPPED, latitude: 47, longitude: 12 })
  await site.advance('10 s')
  const rows = [1, 2, 3].map((n) => ({ timestamp: STOPPED, latitude: 47 + n, longitude: 12 }))
  await user.rest('POST', '/telemetry/history', rows)
  const [{ positionTrail }] = await user.history()
  assert.deepEqual(
    positionTrail.map(({ latitude }: { latitude: number }) => latitude),
    [47, 48, 49, 50],
  )
})
