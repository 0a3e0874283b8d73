import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/platform/system/meter.ts'
import type { IncidentDoor } from '../../../src/app/incident-door.ts'
import { type IngestResult, ingestPublish, type Publish } from '../../../src/app/ingest/ingest-publish.ts'
import type { Session } from '../../../src/core/account/session.ts'
import type {
  MailStore,
  SentTelemetry,
  Settle,
  TelemetryStore,
  TelemetryStored,
  TimerStore,
} from '../../../src/ports/store.ts'
import { processorMs } from '../../harness/processor-time.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const SESSION: Session = { appId: 'app', userId: 'u1', externalUserId: 'ana', legacy: true, secretId: 1 }
const TIMESTAMP = '2026-03-01T12:00:00Z'
const BYTES = 64 * 1024
/** Quadratic work takes seconds, linear work a few milliseconds. */
const BOUND_MS = 250

/** The ingest, with a store that accepts everything immediately. */
function startIngest() {
  const raised: unknown[] = []
  const rows: SentTelemetry[] = []
  const parts = {
    store: {
      isCongested: () => false,
      appendTelemetry: (_reporter: unknown, row: SentTelemetry, settle: Settle<TelemetryStored>) => {
        rows.push(row)
        settle({ duplicate: false, incidentId: null, unknownDevice: false })
      },
      addDeadLetter: async () => {},
    } as unknown as TelemetryStore & MailStore & TimerStore,
    door: {
      async change(_key: unknown, command: unknown) {
        raised.push(command)
        return { verdict: 'opened', incident: null, events: [], unknownDevice: false }
      },
    } as unknown as IncidentDoor,
    clock: new VirtualClock(),
    ids: { uuid: () => 'i1', secret: () => 's', jitter: () => 0 },
    log: { info() {}, warn() {}, error() {} },
    meter: createMeter(),
  }
  const ingest = ingestPublish(parts)
  const publish = (one: Publish) => new Promise<IngestResult | Error>((resolve) => ingest(one, resolve))
  return { publish, raised, rows }
}

const filled = (unit: string): string => unit.repeat(Math.floor(BYTES / unit.length))
const text = (fields: object): string => JSON.stringify({ timestamp: TIMESTAMP, ...fields })

const payloads: readonly (readonly [string, string, isJson: boolean])[] = [
  ['NULs and a byte', `${filled('\0')}x`, false],
  ['NULs before a byte order mark', `${filled('\0')}\uFEFF`, false],
  ['byte order marks', filled('\uFEFF'), false],
  ['an object, and NULs', `${text({})}${filled('\0')}`, true],
  ['an object, and spaces', `${text({})}${filled(' ')}`, true],
  ['arrays in arrays', filled('['), false],
  ['arrays in arrays, closed', `{"timestamp":"${TIMESTAMP}","a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, true],
  ['objects in objects', `${filled('{"a":')}`, false],
  [
    'objects in objects, closed',
    `{"timestamp":"${TIMESTAMP}","a":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`,
    true,
  ],
  ['an unterminated string', `"${filled('\\\\')}`, false],
  ['an endless number', filled('9'), false],
  ['a long number', `{"timestamp":"${TIMESTAMP}","latitude":${filled('9')},"longitude":1}`, true],
  ['a long timestamp', text({ timestamp: `2026-03-01T12:00:00.${filled('9')}` }), true],
  ['a long device id', text({ deviceId: filled('x') }), true],
  ['a device id of spaces', text({ deviceId: filled(' ') }), true],
  ['a device id of lone surrogates', `{"timestamp":"${TIMESTAMP}","deviceId":"${filled('\\ud800')}"}`, true],
  ['many fields', text(Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`f${n}`, n]))), true],
  ['one field many times', `{"timestamp":"${TIMESTAMP}"${filled(',"latitude":1')}}`, true],
  ['fields with names of Object.prototype', `{"timestamp":"${TIMESTAMP}","__proto__":{},"constructor":1}`, true],
  ['a battery of everything', text({ deviceBattery: { rawValue: filled('1'), range: filled('low') } }), true],
]

for (const [what, payload, isJson] of payloads) {
  test(`a payload of ${what} is ingested in linear time, and an object raises an alarm`, async () => {
    const bytes = Buffer.from(payload)
    for (const kind of ['alert', 'telemetry', 'legacy_alert'] as const) {
      let site = startIngest()
      let taken: IngestResult | Error | undefined
      const ms = await processorMs(BOUND_MS, async () => {
        site = startIngest()
        taken = await site.publish({ session: SESSION, kind, topic: 'x', payload: bytes })
      })
      assert.ok(ms < BOUND_MS, `${kind}: ${Math.round(ms)} ms`)
      if (kind === 'alert') assert.equal(taken, isJson ? 'stored' : 'dead_lettered')
      assert.equal(site.raised.length, kind === 'alert' && isJson ? 1 : 0)
    }
  })
}

test('a leading byte order mark and trailing NULs cost no alarm', async () => {
  const { publish, raised } = startIngest()
  for (const payload of [`\uFEFF${text({})}`, `${text({})}\0`, `\uFEFF${text({})}\0\0\0`]) {
    const alert = { session: SESSION, kind: 'alert', topic: 'x', payload: Buffer.from(payload) } as const
    assert.equal(await publish(alert), 'stored')
  }
  assert.equal(raised.length, 3)
})

test('telemetry is stored with the values that were sent, whatever form they had', async () => {
  const fields = { timestamp: TIMESTAMP, latitude: 47.1, longitude: 12.7 }
  const python = `{"timestamp": "${TIMESTAMP}", "latitude": 47.10, "longitude": 12.7}`
  const others = [text({ ...fields, unknown: 1 }), text({ ...fields, altitude: null }), `${text(fields)}${filled(' ')}`]
  for (const payload of [text(fields), `\uFEFF${python}\0`, ...others]) {
    const { publish, rows } = startIngest()
    const row = { session: SESSION, kind: 'telemetry', topic: 'x', payload: Buffer.from(payload) } as const
    assert.equal(await publish(row), 'stored')
    assert.deepEqual(rows[0]?.payload, fields)
  }
})

test('a legacy alert has to name its own user, by either id', async () => {
  for (const [userId, result] of [
    ['u1', 'stored'],
    ['ana', 'stored'],
    ['ben', 'refused'],
    [undefined, 'refused'],
  ] as const) {
    const { publish, raised } = startIngest()
    const payload = Buffer.from(text({ userId }))
    assert.equal(await publish({ session: SESSION, kind: 'legacy_alert', topic: 'sos/alerts', payload }), result)
    assert.equal(raised.length, result === 'stored' ? 1 : 0, `${userId}`)
  }
})
