import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseEventTime } from '../../src/core/ingest/event-time.ts'
import type { Page, TelemetryQuery, TelemetryRow } from '../../src/ports/store.ts'
import { isoAfter, momentAt } from '../core/build.ts'
import { appended, at, type Site, type StoreUnderTest, siteIn, telemetryAt } from './site.ts'

async function rows({ store, user }: Site, query: Partial<TelemetryQuery> = {}): Promise<Page<TelemetryRow>> {
  const page = await store.telemetryHistory(user.id, { after: null, limit: 100, from: null, to: null, ...query })
  if ('refused' in page) throw new Error(page.refused)
  return page
}

const times = (page: Page<TelemetryRow>): readonly string[] => page.items.map((row) => row.at.text)

export function telemetryContract(subject: StoreUnderTest): void {
  suite('telemetry', () => {
    test('is returned as it was accepted, newest event time first', async (t) => {
      const site = await siteIn(subject, t)
      const fields = {
        ...at(47.1, -11.2),
        altitude: -3.5,
        deviceId: 'stray',
        deviceBattery: { rawValue: 3.71, range: 'ok' },
        mobileBattery: 0,
        mobileCoverage: { networkType: 'LTE „ü“', isConnected: false, signalStrength: -97 },
      }
      await site.user.sends(10, fields, 500)
      await site.user.sends(30)
      await site.user.sends(20, { timestamp: null, occurredAt: isoAfter(20) })
      assert.deepEqual((await rows(site)).items, [
        telemetryAt(30),
        telemetryAt(20, { timestamp: null, occurredAt: isoAfter(20) }),
        telemetryAt(10, fields, 500),
      ])
    })

    test('keeps the event time that counted, even if the payload has another one', async (t) => {
      const site = await siteIn(subject, t)
      await site.user.sends(4000, {}, 0)
      const [row] = (await rows(site)).items
      assert.deepEqual(row, telemetryAt(4000, {}, 0))
      assert.equal(row?.at.ms, momentAt(0))
      assert.equal(row?.payload.timestamp, isoAfter(4000))
    })

    test('is stored once per owner, device and nanosecond', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      const [first, second, third] = [1, 2, 3].map((nanos) => `2026-01-01T12:00:00.00000000${nanos}Z`)
      const sent = [
        await site.user.sends(0, { timestamp: first, mobileBattery: 1 }),
        await site.user.sends(0, { timestamp: first, mobileBattery: 2 }),
        await site.user.sends(0, { timestamp: '2026-01-01T14:00:00.000000001+02:00' }),
        await site.user.sends(0, { timestamp: second }),
        await site.user.sends(0, { timestamp: first, deviceId: 'stray' }),
        await other.sends(0, { timestamp: first }),
        // From a clock that has stopped: the other time counts.
        await site.user.sends(0, { timestamp: '2001-01-01T12:00:00Z', occurredAt: second }),
        await site.user.sends(0, { timestamp: '2001-01-01T12:00:00Z', occurredAt: third }),
        await site.user.sends(0, { timestamp: '2001-01-01T12:00:00Z', occurredAt: third }),
      ]
      assert.deepEqual(
        sent.map(({ duplicate }) => duplicate),
        [false, true, true, false, false, false, true, false, true],
      )
      const page = await rows(site)
      const { items } = page
      assert.deepEqual(times(page), [third, second, first, first])
      assert.equal(items.find((row) => row.at.text === first && !row.payload.deviceId)?.payload.mobileBattery, 1)
    })

    test('is deduplicated within one commit too', async (t) => {
      const { user } = await siteIn(subject, t)
      const sent = await Promise.all([user.sends(1), user.sends(1), user.sends(2)])
      assert.deepEqual(
        sent.map(({ duplicate }) => duplicate),
        [false, true, false],
      )
    })

    test('without a time of its own is kept, whatever arrives in the same millisecond', async (t) => {
      const site = await siteIn(subject, t)
      const other = await site.newUser('hiker-2')
      const untimed = { timestamp: undefined }
      const charges = [1, 2, 3, 4, 5, 6, 7, 8]
      const sent = await Promise.all([
        site.user.sends(5, { mobileBattery: 0 }),
        ...charges.flatMap((mobileBattery) => [
          site.user.sends(5, { ...untimed, mobileBattery }),
          other.sends(5, untimed),
        ]),
      ])
      assert.ok(sent.every(({ duplicate }) => !duplicate))
      const { items } = await rows(site)
      assert.deepEqual(items.map(({ payload }) => payload.mobileBattery).toSorted(), [0, ...charges])
    })

    test('of an unknown user is a fault, and its neighbours are stored', async (t) => {
      const site = await siteIn(subject, t)
      const pending = appended(site.store, { appId: site.application.id, userId: 'nobody' }, telemetryAt(1))
      const settled = await Promise.allSettled([site.user.sends(1), pending, site.user.sends(2)])
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.deepEqual(times(await rows(site)), [isoAfter(2), isoAfter(1)])
    })

    test('is read between two times, both inclusive to the nanosecond', async (t) => {
      const site = await siteIn(subject, t)
      const moments = [1, 2, 3, 4].map((nanos) => `2026-01-01T12:00:00.00000000${nanos}Z`)
      for (const timestamp of moments) await site.user.sends(0, { timestamp })
      const [first, second, third] = moments.map((text) => parseEventTime(text))
      assert.deepEqual(times(await rows(site, { from: second!, to: third! })), [moments[2], moments[1]])
      assert.deepEqual(times(await rows(site, { to: first! })), [moments[0]])
      assert.deepEqual(times(await rows(site, { from: third! })), [moments[3], moments[2]])
      assert.deepEqual(times(await rows(site, { from: third!, to: first! })), [])
      const page = await rows(site, { from: second!, to: third!, limit: 1 })
      assert.deepEqual(times(page), [moments[2]])
      const next = await rows(site, { from: second!, to: third!, limit: 1, after: page.after })
      assert.deepEqual(times(next), [moments[1]])
      assert.equal(next.after, null)
    })

    test('continues where a page ended, whatever was added meanwhile', async (t) => {
      const site = await siteIn(subject, t)
      for (const second of [10, 20, 30, 40, 50]) await site.user.sends(second)
      await site.user.sends(30, { deviceId: 'stray' })
      const first = await rows(site, { limit: 3 })
      assert.deepEqual(times(first), [isoAfter(50), isoAfter(40), isoAfter(30)])
      await site.user.sends(60)
      await site.user.sends(45)
      await site.user.sends(15)
      const second = await rows(site, { limit: 3, after: first.after })
      assert.deepEqual(times(second), [isoAfter(30), isoAfter(20), isoAfter(15)])
      const last = await rows(site, { limit: 3, after: second.after })
      assert.deepEqual(times(last), [isoAfter(10)])
      assert.equal(last.after, null)
    })

    test('refuses a cursor that it did not issue', async (t) => {
      const site = await siteIn(subject, t)
      for (const second of [1, 2]) await site.user.sends(second)
      const { after } = await rows(site, { limit: 1 })
      const own: unknown[] = JSON.parse(Buffer.from(after!, 'base64url').toString())
      const forged = [own.toSpliced(1, 1, '1'), own.toSpliced(1, 1, 1.5), own.slice(0, -1), [...own, 1]]
      for (const cursor of [
        '',
        'x',
        `${after}A`,
        ...forged.map((c) => Buffer.from(JSON.stringify(c)).toString('base64url')),
      ]) {
        const query = { after: cursor, limit: 1, from: null, to: null }
        assert.deepEqual(await site.store.telemetryHistory(site.user.id, query), { refused: 'bad_cursor' }, cursor)
      }
    })
  })
}
