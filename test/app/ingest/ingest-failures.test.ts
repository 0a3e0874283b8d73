import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import { rateLimitedLog } from '../../../src/adapters/platform/system/rate-limited-log.ts'
import type { IncidentDoor } from '../../../src/app/incident-door.ts'
import { ingestPublish, type Publish } from '../../../src/app/ingest/ingest-publish.ts'
import { appendTelemetry, ingestTelemetry } from '../../../src/app/ingest/ingest-telemetry.ts'
import { raiseSos } from '../../../src/app/ingest/raise-sos.ts'
import type { Session } from '../../../src/core/account/session.ts'
import {
  type MailStore,
  type Settle,
  StoreError,
  type TelemetryStore,
  type TelemetryStored,
  type TimerStore,
} from '../../../src/ports/store.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const NOBODY = { info() {}, warn() {}, error() {} }
const SESSION = { appId: 'app', userId: 'u1', externalUserId: 'ana' } as Session
const PRESS = { timestamp: '2026-03-01T12:00:00Z' }

const failure = new StoreError('the disk is full', 'disk_full')
const full = () => Promise.reject(failure)
const fullFor = (_reporter: unknown, _row: unknown, settle: Settle<TelemetryStored>) => settle(failure)

/** All ingest functions, with a store that cannot write. */
function withoutStore() {
  const meter = createMeter()
  const parts = {
    store: {
      isCongested: () => false,
      appendTelemetry: fullFor,
      addDeadLetter: full,
      endTimer: full,
    } as unknown as TelemetryStore & MailStore & TimerStore,
    door: { change: full } as unknown as IncidentDoor,
    clock: new VirtualClock(),
    ids: { uuid: () => 'i1', secret: () => 's', jitter: () => 0 },
    log: NOBODY,
    meter,
  }
  const failures = async () =>
    (await meter.text())
      .split('\n')
      .filter((line) => line.startsWith('tocsin_ingest_failures_total{') && !line.endsWith(' 0'))
      .map((line) => line.replace('tocsin_ingest_failures_total', ''))
  return { parts, failures }
}

const rejects = (work: Promise<unknown>) => assert.rejects(work, { name: 'StoreError', kind: 'disk_full' })

test('a payload that cannot be committed is counted once, by kind and transport', async () => {
  const { parts, failures } = withoutStore()
  const ingest = ingestPublish(parts)
  const publish = (one: Publish) =>
    new Promise((resolve, reject) => {
      ingest(one, (result) => (result instanceof Error ? reject(result) : resolve(result)))
    })
  const about = { session: SESSION, topic: 'x' }
  await rejects(publish({ ...about, kind: 'alert', payload: Buffer.from(JSON.stringify(PRESS)) }))
  await rejects(publish({ ...about, kind: 'telemetry', payload: Buffer.from(JSON.stringify(PRESS)) }))
  await rejects(publish({ ...about, kind: 'telemetry', payload: Buffer.from('{"mobileBattery": 900}') }))
  await rejects(publish({ ...about, kind: 'timer', payload: Buffer.from('{"action": "end"}') }))
  await rejects(raiseSos(parts)(SESSION, PRESS))
  await rejects(ingestTelemetry(parts)(SESSION, PRESS))
  assert.deepEqual(await failures(), [
    '{kind="alert",transport="mqtt"} 1',
    '{kind="alert",transport="rest"} 1',
    '{kind="telemetry",transport="mqtt"} 1',
    '{kind="telemetry",transport="rest"} 1',
    '{kind="timer",transport="mqtt"} 1',
    '{kind="dead_letter",transport="mqtt"} 1',
  ])
})

test('a bad field over REST is a refusal, not a failure', async () => {
  const { parts, failures } = withoutStore()
  assert.ok('refused' in (await raiseSos(parts)(SESSION, { ...PRESS, mobileBattery: 900 })))
  assert.ok('refused' in (await ingestTelemetry(parts)(SESSION, { ...PRESS, mobileBattery: 900 })))
  assert.deepEqual(await failures(), [])
  assert.match(await parts.meter.text(), /^tocsin_alerts_total\{verdict="refused",transport="rest"\} 1$/m)
})

test('under congestion only REST is refused: MQTT connections get back-pressure instead', async () => {
  const { parts, failures } = withoutStore()
  let rows = 0
  const store = {
    isCongested: () => true,
    appendTelemetry(_reporter: unknown, _row: unknown, settle: Settle<TelemetryStored>) {
      rows += 1
      settle({ duplicate: false, incidentId: null, unknownDevice: false })
    },
  } as unknown as TelemetryStore & MailStore
  await assert.rejects(ingestTelemetry({ ...parts, store })(SESSION, PRESS), { kind: 'overloaded' })
  assert.equal(rows, 0)
  assert.deepEqual(await failures(), ['{kind="telemetry",transport="rest"} 1'])
  const sent = { json: PRESS, text: null, transport: 'mqtt' } as const
  const taken = await new Promise((resolve) => appendTelemetry({ ...parts, store })(SESSION, sent, resolve))
  assert.deepEqual([rows, taken instanceof StoreError], [1, false])
})

test('an unpaired device is logged once an hour, however many rows name it, and every row is counted', async () => {
  const { parts } = withoutStore()
  const lines: unknown[] = []
  const note = (fields: object, message: string) => void lines.push([message, fields])
  const log = rateLimitedLog({ info: note, warn: note, error: note }, () => parts.clock.now())
  const unknown: TelemetryStored = { duplicate: false, incidentId: null, unknownDevice: true }
  const store = {
    isCongested: () => false,
    appendTelemetry: (_reporter: unknown, _row: unknown, settle: Settle<TelemetryStored>) => settle(unknown),
  } as unknown as TelemetryStore & MailStore
  const ingest = ingestTelemetry({ ...parts, store, log })
  for (let n = 0; n < 1000; n += 1) await ingest(SESSION, { ...PRESS, deviceId: 'tracker-1' })
  assert.equal(lines.length, 1)
  for (let n = 0; n < 1000; n += 1) await ingest(SESSION, { ...PRESS, deviceId: `made-up-${n}` })
  assert.ok(lines.length <= 20, `${lines.length} lines`)
  assert.ok(!JSON.stringify(lines).includes('tracker-1'))
  assert.match(await parts.meter.text(), /^tocsin_unknown_devices_total 2000$/m)
})
