import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../src/adapters/platform/system/meter.ts'
import { showGauges } from '../../src/service/gauges.ts'

/** What every source of a site says, each something of its own; times in milliseconds. */
const figures = { openIncidents: { active: 2, acknowledged: 3 }, heldIncidents: 4, deadLetters: 5 }
const files = { databaseBytes: 6, logBytes: 7, freeBytes: 8, reserveBytes: 9 }
const modem = { state: { trouble: () => null, queued: 10, report: { signal: 11 } } }
const sources = {
  store: { figures: async () => figures, server: { concerns: () => [], synchronousStandbys: () => 12 } },
  files: async () => files,
  sharedClock: { machineLeadMs: () => -13_500 },
  broker: { connectionsByWay: () => ({ tcp: 14, tls: 15 }) },
  streams: { size: 34 },
  text: {
    waiting: (channel: string) => (channel === 'sms' ? 16 : 17),
    longestWaitMs: (channel: string) => (channel === 'sms' ? 18_000 : 19_500),
    modem,
  },
  tls: { info: () => ({ validTo: '1970-01-01T00:00:20Z', ca: { validTo: '1970-01-01T00:00:21Z' } }) },
  readiness: async () => [] as readonly string[],
  overdueMs: async () => 22_000,
  timerOverdueMs: () => 23_500,
  silentDevices: () => 24,
  usersByReadiness: () => ({ ready: 25, attention: 26, not_ready: 27 }),
  noticesAgeMs: () => 28_000,
  lease: { ageMs: 29_500 },
  canary: { ageMs: () => 30_000, failuresInARow: () => 31 },
  diskReserveBytes: 32,
  memoryBytes: 33,
  isDateBelieved: () => true,
}

/** The sources that a site may lack. */
const ABSENT = { files: null, sharedClock: null, tls: null, canary: null, text: { ...sources.text, modem: null } }

/** The gauges of a site, apart from those of the process and the version. */
async function shown(changed: Partial<Record<keyof typeof sources, unknown>> = {}): Promise<Record<string, number>> {
  const meter = createMeter()
  showGauges(meter, { ...sources, ...changed } as never)
  const text = await meter.text()
  const names = [...text.matchAll(/^# TYPE tocsin_(\w+) gauge$/gm)].map(([, name]) => name!)
  const series = [...text.matchAll(/^tocsin_((\w+)(?:\{.*\})?) (\S+)$/gm)]
  return Object.fromEntries(
    series.flatMap(([, one, name, value]) => (names.includes(name!) && name !== 'info' ? [[one!, Number(value)]] : [])),
  )
}

test('every gauge reads its own source, times in seconds', async () => {
  assert.deepEqual(await shown(), {
    ready: 1,
    clock_believed: 1,
    'open_incidents{status="active"}': 2,
    'open_incidents{status="acknowledged"}': 3,
    held_incidents: 4,
    dead_letters_kept: 5,
    'store_bytes{file="db"}': 6,
    'store_bytes{file="wal"}': 7,
    disk_free_bytes: 8,
    disk_reserve_held_bytes: 9,
    modem_ready: 1,
    modem_queue_length: 10,
    'modem_signal_ratio{modem="gammu"}': 0.11,
    synchronous_standbys: 12,
    clock_offset_seconds: -13.5,
    'mqtt_connections{listener="tcp"}': 14,
    'mqtt_connections{listener="tls"}': 15,
    event_streams: 34,
    'queue_length{channel="sms"}': 16,
    'queue_length{channel="voice"}': 17,
    'queue_oldest_seconds{channel="sms"}': 18,
    'queue_oldest_seconds{channel="voice"}': 19.5,
    'certificate_expiry_timestamp_seconds{certificate="server"}': 20,
    'certificate_expiry_timestamp_seconds{certificate="ca"}': 21,
    overdue_seconds: 22,
    timer_overdue_seconds: 23.5,
    devices_silent: 24,
    'users_by_readiness{status="ready"}': 25,
    'users_by_readiness{status="attention"}': 26,
    'users_by_readiness{status="not_ready"}': 27,
    notices_age_seconds: 28,
    lease_age_seconds: 29.5,
    canary_age_seconds: 30,
    canary_failures_in_a_row: 31,
    disk_reserve_bytes: 32,
    memory_limit_bytes: 33,
  })
})

test('what a site does not have is absent', async () => {
  const all = Object.keys(await shown())
  const few = Object.keys(await shown({ ...ABSENT, store: { figures: sources.store.figures } }))
  assert.deepEqual(
    all.filter((series) => !few.includes(series)).map((series) => series.replace(/\{.*/, '')),
    [
      ...['clock_offset_seconds', 'synchronous_standbys', 'store_bytes', 'store_bytes', 'disk_free_bytes'],
      ...['disk_reserve_bytes', 'disk_reserve_held_bytes', 'modem_ready', 'modem_queue_length', 'modem_signal_ratio'],
      ...['canary_age_seconds', 'canary_failures_in_a_row'],
      ...['certificate_expiry_timestamp_seconds', 'certificate_expiry_timestamp_seconds'],
    ],
  )
})

test('what is wrong shows', async () => {
  const wrong = await shown({
    readiness: async () => ['the disk is full'],
    isDateBelieved: () => false,
    text: { ...sources.text, modem: { state: { ...modem.state, trouble: () => 'no modem' } } },
    store: { ...sources.store, server: { synchronousStandbys: () => null } },
  })
  assert.deepEqual([wrong.ready, wrong.clock_believed, wrong.modem_ready, wrong.synchronous_standbys], [0, 0, 0, 0])
  const unreadable = await shown({ readiness: () => Promise.reject(new Error('no answer')) })
  assert.equal(unreadable.ready, 0)
})
