import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endTrackers } from '../../../src/app/connections/end-trackers.ts'
import { ingestOwnTracks } from '../../../src/app/field/ingest-owntracks.ts'
import type { Origin, ReportTaken } from '../../../src/app/field/take-report.ts'
import { identifyTracker } from '../../../src/app/user/own-trackers.ts'
import type { ClientSession, TrackerSession } from '../../../src/core/account/session.ts'
import { secretHash } from '../../../src/core/operator/secret.ts'
import type { FieldDevice } from '../../../src/ports/field-store.ts'
import { StoreError } from '../../../src/ports/store-error.ts'

const device = (deviceId: string, userId = 'ana'): FieldDevice => ({
  deviceId,
  appId: 'a1',
  userId,
  hardwareId: 'phone',
  model: null,
  state: null,
})
const tracker = (deviceId: string): TrackerSession => ({
  appId: 'a1',
  userId: 'ana',
  tracker: { deviceId, tokenHash: deviceId },
})

suite('OwnTracks over MQTT', () => {
  /** What was done with a message, by name. */
  const ingested = async (topic: string, payload: string, found: FieldDevice | null = device('d1')) => {
    const done: [string, number][] = []
    const take = async (_device: FieldDevice, _report: unknown, { raw }: Origin): Promise<ReportTaken> => {
      done.push(['report', raw.length])
      return 'lost'
    }
    const unreadable = async (_device: FieldDevice, { raw }: Origin): Promise<ReportTaken> => {
      done.push(['letter', raw.length])
      return 'dead_lettered'
    }
    const ingest = ingestOwnTracks({ store: { deviceByToken: async () => found }, reports: { take, unreadable } })
    return [await ingest({ session: tracker('d1'), topic, payload: Buffer.from(payload) }), done]
  }
  const OWN = 'owntracks/tracker/phone'
  const position = '{"_type":"location","lat":1,"lon":2}'

  test('a position is a report; what the full disk refuses is not sent for ever', async () => {
    assert.deepEqual(await ingested(OWN, position), ['stored', [['report', position.length]]])
  })

  test('what is no position is let go, and what cannot be read is kept, cut to 16 KiB', async () => {
    assert.deepEqual(await ingested(OWN, '{"_type":"lwt"}'), ['stored', []])
    assert.deepEqual(await ingested(OWN, ''), ['stored', []])
    assert.deepEqual(await ingested(`${OWN}/waypoints`, '{broken'), ['stored', []])
    assert.deepEqual(await ingested(OWN, '{broken'), ['dead_lettered', [['letter', 7]]])
    assert.deepEqual(await ingested(OWN, `"${'x'.repeat(40_000)}"`), ['dead_lettered', [['letter', 16 * 1024]]])
  })

  test('is refused on every other topic, and once the token is gone or leads to another device or user', async () => {
    for (const topic of [
      'sos/alerts/ana',
      'tel/ana/data',
      'owntracks',
      'owntracks/tracker',
      `${OWN}/x`,
      `${OWN}/cmd/y`,
    ]) {
      assert.deepEqual(await ingested(topic, position), ['refused', []], topic)
    }
    for (const found of [null, device('d2'), device('d1', 'ben')]) {
      assert.deepEqual(await ingested(OWN, position, found), ['refused', []])
    }
  })
})

test('a token of any length is looked up by its hash, and an overlong one as nobody’s', async () => {
  const asked: string[] = []
  const store = {
    deviceByToken: async (hash: string) => {
      asked.push(hash)
      return hash === secretHash('token') ? device('d1') : null
    },
  }
  const identify = identifyTracker({ store })
  assert.deepEqual(await identify('token'), { ...tracker('d1'), tracker: { deviceId: 'd1', tokenHash: asked[0] } })
  assert.equal(await identify('x'.repeat(1_000_000)), null)
  assert.deepEqual(asked, [secretHash('token'), secretHash('')])
})

test('connections of trackers whose token or pairing is gone end within a minute; a store that fails ends none', async () => {
  const user: ClientSession = { appId: 'a1', userId: 'ana', externalUserId: 'ana', legacy: false, secretId: 1 }
  const sessions = new Set<ClientSession>([user, tracker('kept'), tracker('gone'), tracker('passed-on')])
  let isDown = true
  let looks = () => {}
  const stop = endTrackers({
    store: {
      async deviceByToken(hash) {
        if (isDown) throw new StoreError('the store is away', 'unreachable')
        if (hash === 'gone') return null
        return device(hash, hash === 'passed-on' ? 'ben' : 'ana')
      },
    },
    live: {
      sessions: () => sessions,
      closeWhere(predicate) {
        for (const one of [...sessions].filter(predicate)) sessions.delete(one)
        return 1
      },
    },
    clock: {
      after(ms, look) {
        assert.equal(ms, 60_000)
        looks = look
        return () => {}
      },
    },
    log: { info() {}, warn() {}, error() {} },
  })
  const minute = async () => {
    looks()
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  await minute()
  assert.equal(sessions.size, 4)
  isDown = false
  await minute()
  assert.deepEqual([...sessions], [user, tracker('kept')])
  await stop()
})
