import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Position } from '../../src/core/ingest/position.ts'
import type { HistoryRecord, Page } from '../../src/ports/store.ts'
import { isoAfter } from '../core/build.ts'
import { at, incidentOf, type Site, type StoreUnderTest, siteIn } from './site.ts'

async function newest({ store, user }: Pick<Site, 'store' | 'user'>): Promise<HistoryRecord> {
  const page = (await store.history(user.id, { after: null, limit: 1 })) as Page<HistoryRecord>
  return page.items[0]!
}

const latitudes = (trail: readonly Position[]): readonly number[] => trail.map(({ latitude }) => latitude)

const position = (latitude: number) => ({ latitude, longitude: 11, altitude: null, source: 'session' })

/** rules.md#telemetry: which rows join the position trail of an incident. */
export function trailContract(subject: StoreUnderTest): void {
  suite('the position trail', () => {
    test('begins with the alert’s position and continues with telemetry, by event time', async (t) => {
      const site = await siteIn(subject, t)
      await site.user.presses(0, { ...at(40, 11.5), altitude: 1200.5 })
      await site.user.sends(20, at(42))
      await site.user.sends(10, at(41), 30)
      await site.user.presses(30, at(43))
      const { trail, lastPosition } = await newest(site)
      assert.deepEqual(latitudes(trail), [40, 41, 42, 43])
      assert.deepEqual(trail[0], {
        latitude: 40,
        longitude: 11.5,
        altitude: 1200.5,
        at: isoAfter(0),
        source: 'session',
      })
      assert.deepEqual(lastPosition, {
        latitude: 43,
        longitude: 11,
        altitude: null,
        at: isoAfter(30),
        source: 'session',
      })
      assert.deepEqual((await site.store.openIncident(site.user.id))?.lastPosition, lastPosition)
    })

    test('has the accuracy where it was sent', async (t) => {
      const site = await siteIn(subject, t)
      const opened = await site.user.presses(0, { ...at(40), accuracy: 12.5 })
      assert.deepEqual(opened.lastPosition, { ...position(40), accuracy: 12.5, at: isoAfter(0) })
      await site.user.sends(10, { ...at(41), accuracy: 0 })
      await site.user.sends(20, at(42))
      const { trail, lastPosition } = await newest(site)
      assert.deepEqual(trail, [
        { ...position(40), accuracy: 12.5, at: isoAfter(0) },
        { ...position(41), accuracy: 0, at: isoAfter(10) },
        { ...position(42), at: isoAfter(20) },
      ])
      assert.deepEqual(lastPosition, trail[2])
    })

    test('provides the last position with every commit', async (t) => {
      const { user } = await siteIn(subject, t)
      assert.equal((await user.presses(0)).lastPosition, null)
      await user.sends(10, at(41))
      assert.equal((await user.presses(5, at(40), 11)).lastPosition?.latitude, 41)
      assert.equal((await user.does(12, { type: 'cancel' })).lastPosition?.latitude, 41)
    })

    test('leaves out what happened before the incident, to the nanosecond', async (t) => {
      const site = await siteIn(subject, t)
      const { id } = incidentOf(await site.user.presses(0, { timestamp: '2026-01-01T12:00:00.000000500Z' }))
      const before = await site.user.sends(1, { timestamp: '2026-01-01T12:00:00.000000499Z', ...at(39) })
      assert.equal(before.incidentId, null)
      const same = await site.user.sends(1, { timestamp: '2026-01-01T12:00:00.000000500Z', ...at(40) })
      assert.equal(same.incidentId, id)
      assert.deepEqual(latitudes((await newest(site)).trail), [40])
    })

    test('accepts rows while the event time of the alert is still ahead', async (t) => {
      const site = await siteIn(subject, t)
      const { id } = incidentOf(await site.user.presses(0, { timestamp: isoAfter(240) }))
      assert.equal((await site.user.sends(10, at(41))).incidentId, id)
      assert.deepEqual(latitudes((await newest(site)).trail), [41])
    })

    test('is ordered by instant, whatever time zone the times are written in', async (t) => {
      const site = await siteIn(subject, t)
      await site.user.presses(0, at(40))
      await site.user.sends(10, { timestamp: '2026-01-01T10:00:20-02:00', ...at(42) }, 30)
      await site.user.sends(10, { timestamp: '2026-01-01T14:00:10+02:00', ...at(41) }, 30)
      const { trail, lastPosition } = await newest(site)
      assert.deepEqual(latitudes(trail), [40, 41, 42])
      assert.equal(lastPosition?.latitude, 42)
    })

    test('leaves out rows without a position', async (t) => {
      const site = await siteIn(subject, t)
      const { id } = incidentOf(await site.user.presses(0, { altitude: 7 }))
      assert.equal((await site.user.sends(1, { mobileBattery: 50 })).incidentId, id)
      const { trail, lastPosition } = await newest(site)
      assert.deepEqual(trail, [])
      assert.equal(lastPosition, null)
    })

    test('adds a row once', async (t) => {
      const site = await siteIn(subject, t)
      const { id } = incidentOf(await site.user.presses(0, at(40)))
      await site.user.sends(10, at(41))
      const again = await site.user.sends(10, at(45), 20)
      assert.deepEqual(again, { duplicate: true, incidentId: id, unknownDevice: false })
      assert.deepEqual(latitudes((await newest(site)).trail), [40, 41])
    })

    test('of two positions at one instant has the one that was sent first, within one commit too', async (t) => {
      const site = await siteIn(subject, t)
      await site.user.presses(0)
      const seconds = Array.from({ length: 20 }, (_, k) => k + 1)
      await Promise.all([
        site.user.sends(100, { deviceId: 'tracker', ...at(9) }),
        ...seconds.flatMap((second) => [
          site.user.sends(second, at(second)),
          site.user.sends(second, { deviceId: 'tracker', ...at(second + 40) }),
        ]),
      ])
      assert.deepEqual(latitudes((await newest(site)).trail), [...seconds, 9])
    })

    test('ends with the incident', async (t) => {
      const site = await siteIn(subject, t)
      await site.user.presses(0, at(40))
      await site.user.does(5, { type: 'resolve' })
      assert.equal((await site.user.sends(6, at(41))).incidentId, null)
      assert.deepEqual(latitudes((await newest(site)).trail), [40])
    })

    test('does not count as a change of the incident', async (t) => {
      const site = await siteIn(subject, t)
      const opened = await site.user.presses(0, at(40))
      await site.user.sends(10, at(41))
      assert.deepEqual((await newest(site)).incident, opened.incident)
    })

    test('shows the newest 1,000', async (t) => {
      const site = await siteIn(subject, t)
      await site.user.presses(0, at(0))
      await Promise.all(Array.from({ length: 1004 }, (_, k) => site.user.sends(k + 1, at((k + 1) / 100))))
      const { trail } = await newest(site)
      assert.equal(trail.length, 1000)
      assert.equal(trail[0]?.at, isoAfter(5))
      assert.equal(trail.at(-1)?.at, isoAfter(1004))
    })
  })
}
