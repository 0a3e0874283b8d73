import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../src/adapters/system/meter.ts'
import { counters, histograms } from '../../../src/ports/meter.ts'

const lines = async (meter: ReturnType<typeof createMeter>): Promise<readonly string[]> =>
  (await meter.text()).split('\n')

test('every counter and histogram of the tables is there, with its help', async () => {
  const shown = await lines(createMeter())
  for (const [name, { help }] of Object.entries({ ...counters, ...histograms })) {
    assert.ok(shown.includes(`# HELP tocsin_${name} ${help}`), name)
  }
  for (const name of Object.keys(counters)) assert.ok(shown.includes(`# TYPE tocsin_${name} counter`))
  for (const name of Object.keys(histograms)) assert.ok(shown.includes(`# TYPE tocsin_${name} histogram`))
})

test('what is counted adds up by its labels', async () => {
  const meter = createMeter()
  meter.count('alerts_total', { verdict: 'opened', transport: 'mqtt' })
  meter.count('alerts_total', { transport: 'mqtt', verdict: 'opened' }, 2)
  meter.count('alerts_total', { verdict: 'repeated', transport: 'http' })
  meter.count('unknown_devices_total')
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_alerts_total{verdict="opened",transport="mqtt"} 3'))
  assert.ok(shown.includes('tocsin_alerts_total{verdict="repeated",transport="http"} 1'))
  assert.ok(shown.includes('tocsin_unknown_devices_total 1'))
})

test('labels that the table does not know, or that are missing, cost nothing', async () => {
  const meter = createMeter()
  meter.count('alerts_total', { verdict: 'opened', weather: 'fine' })
  assert.ok((await lines(meter)).includes('tocsin_alerts_total{verdict="opened",transport=""} 1'))
})

test('durations fall into buckets of seconds', async () => {
  const meter = createMeter()
  meter.observe('commit_seconds', 0.003)
  meter.observe('commit_seconds', 0.3)
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_commit_seconds_bucket{le="0.002"} 0'))
  assert.ok(shown.includes('tocsin_commit_seconds_bucket{le="0.005"} 1'))
  assert.ok(shown.includes('tocsin_commit_seconds_bucket{le="0.5"} 2'))
  assert.ok(shown.includes('tocsin_commit_seconds_count 2'))
})

test('a gauge is read whenever the metrics are', async () => {
  const meter = createMeter()
  let connected = 3
  meter.gauge('mqtt_connections', 'MQTT clients that are connected', () => connected)
  meter.gauge('due', 'Attempts that are due', async () => 7)
  assert.ok((await lines(meter)).includes('tocsin_mqtt_connections 3'))
  connected = 4
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_mqtt_connections 4'))
  assert.ok(shown.includes('tocsin_due 7'))
})

test('a gauge that cannot be read does not hide the others', async () => {
  const meter = createMeter()
  meter.gauge('broken', 'Throws', () => {
    throw new Error('not now')
  })
  meter.gauge('rejected', 'Rejects', () => Promise.reject(new Error('not now')))
  meter.gauge('whole', 'Works', () => 1)
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_broken Nan'))
  assert.ok(shown.includes('tocsin_rejected Nan'))
  assert.ok(shown.includes('tocsin_whole 1'))
})

test('each meter counts for itself', async () => {
  const [one, other] = [createMeter(), createMeter()]
  one.count('unknown_devices_total')
  assert.ok((await lines(other)).includes('tocsin_unknown_devices_total 0'))
})

test('what Node tells of its process is there too', async () => {
  const shown = await createMeter().text()
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
    assert.match(shown, new RegExp(`^${name} `, 'm'))
  }
})
