import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMeter } from '../../../../src/adapters/platform/system/meter.ts'
import { counters, histograms } from '../../../../src/ports/meter.ts'

const lines = async (meter: ReturnType<typeof createMeter>): Promise<readonly string[]> =>
  (await meter.text()).split('\n')

test('every counter and histogram of the tables exists, with its help', async () => {
  const shown = await lines(createMeter())
  for (const [name, { help }] of Object.entries({ ...counters, ...histograms })) {
    assert.ok(shown.includes(`# HELP tocsin_${name} ${help}`), name)
  }
  for (const name of Object.keys(counters)) assert.ok(shown.includes(`# TYPE tocsin_${name} counter`))
  for (const name of Object.keys(histograms)) assert.ok(shown.includes(`# TYPE tocsin_${name} histogram`))
})

test('counts add up by their labels, in any order', async () => {
  const meter = createMeter()
  meter.count('telemetry_total', { result: 'stored', transport: 'mqtt' })
  meter.count('telemetry_total', { transport: 'mqtt', result: 'stored' }, 2)
  meter.count('telemetry_total', { result: 'duplicate', transport: 'rest' })
  meter.count('unknown_devices_total')
  for (let reading = 1; reading <= 2; reading++) {
    const shown = await lines(meter)
    assert.ok(shown.includes('tocsin_telemetry_total{result="stored",transport="mqtt"} 3'))
    assert.ok(shown.includes('tocsin_telemetry_total{result="duplicate",transport="rest"} 1'))
    assert.ok(shown.includes('tocsin_unknown_devices_total 1'))
  }
})

test('series whose labels are all closed start at 0; open ones with their first count', async () => {
  const meter = createMeter()
  meter.count('messages_total', { channel: 'sms', country: 'AT' })
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_dead_letters_total{kind="alert",reason="bad_fields"} 0'))
  assert.ok(shown.includes('tocsin_cascades_exhausted_total 0'))
  assert.ok(shown.includes('tocsin_queue_wait_seconds_bucket{le="60",channel="sms"} 0'))
  assert.deepEqual(
    shown.filter((line) => line.startsWith('tocsin_messages_total')),
    ['tocsin_messages_total{channel="sms",country="AT"} 1'],
  )
})

test('unknown or missing labels do no harm', async () => {
  const meter = createMeter()
  const labels = { verdict: 'opened', weather: 'fine' }
  meter.count('alerts_total', labels as never)
  meter.observe('queue_wait_seconds', 1, { weather: 'fine' } as never)
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_alerts_total{verdict="opened",transport=""} 1'))
  assert.ok(shown.includes('tocsin_queue_wait_seconds_count{channel=""} 1'))
})

test('a counter has 2,000 series at most; excess ones count as other', async () => {
  const meter = createMeter()
  const labels = (n: number) => ({ route: `r${n}`, status: '200' })
  for (let n = 0; n < 2_007; n++) meter.count('rest_requests_total', labels(n))
  meter.count('rest_requests_total', { status: '200', route: 'r1' })
  const shown = (await lines(meter)).filter((line) => line.startsWith('tocsin_rest_requests_total'))
  assert.equal(shown.length, 2_001)
  assert.equal(shown[0], 'tocsin_rest_requests_total{route="r0",status="200"} 1')
  assert.equal(shown[1], 'tocsin_rest_requests_total{route="r1",status="200"} 2')
  assert.equal(shown.at(-1), 'tocsin_rest_requests_total{route="other",status="other"} 7')
})

test('label values named like properties of Object.prototype are ordinary values', async () => {
  const meter = createMeter()
  const routes = ['constructor', '__proto__', 'toString']
  for (const route of routes) meter.count('rest_requests_total', { route, status: '200' })
  assert.deepEqual(
    (await lines(meter)).filter((line) => line.startsWith('tocsin_rest_requests_total')),
    routes.map((route) => `tocsin_rest_requests_total{route="${route}",status="200"} 1`),
  )
})

test('durations fall into buckets of seconds', async () => {
  const meter = createMeter()
  meter.observe('commit_seconds', 0.003)
  meter.observe('commit_seconds', 0.3)
  meter.observe('queue_wait_seconds', 61, { channel: 'voice' })
  for (const none of [Number.NaN, Number.NEGATIVE_INFINITY]) meter.observe('commit_seconds', none)
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_commit_seconds_bucket{le="0.002"} 0'))
  assert.ok(shown.includes('tocsin_commit_seconds_bucket{le="0.005"} 1'))
  assert.ok(shown.includes('tocsin_commit_seconds_bucket{le="0.5"} 2'))
  assert.ok(shown.includes('tocsin_commit_seconds_count 2'))
  assert.ok(shown.includes('tocsin_queue_wait_seconds_bucket{le="60",channel="voice"} 0'))
  assert.ok(shown.includes('tocsin_queue_wait_seconds_bucket{le="120",channel="voice"} 1'))
})

test('a gauge is read whenever the metrics are, one with a label in each of its values', async () => {
  const meter = createMeter()
  let connected: Record<string, number> = { tcp: 3, ws: 1 }
  meter.gauge({ name: 'connections', help: 'Clients', label: 'listener', read: () => connected })
  meter.gauge({ name: 'due', help: 'Attempts that are due', read: async () => 7 })
  assert.ok((await lines(meter)).includes('tocsin_connections{listener="ws"} 1'))
  connected = { tcp: 4 }
  const shown = await lines(meter)
  assert.ok(shown.includes('tocsin_connections{listener="tcp"} 4'))
  assert.ok(!shown.some((line) => line.includes('listener="ws"')))
  assert.ok(shown.includes('tocsin_due 7'))
})

test('a gauge that fails or is too slow is absent and does not hide the others', async () => {
  const meter = createMeter({ gaugeTimeoutMs: 20 })
  let broken = false
  const unless = (work: () => number | Promise<number>) => () => (broken ? work() : 1)
  const thrown = () => {
    throw new Error('not now')
  }
  meter.gauge({ name: 'broken', help: 'Throws', read: unless(thrown) })
  meter.gauge({ name: 'rejected', help: 'Rejects', read: unless(() => Promise.reject(new Error('not now'))) })
  meter.gauge({ name: 'hanging', help: 'Hangs', read: unless(() => new Promise<number>(() => {})) })
  meter.gauge({ name: 'whole', help: 'Works', read: () => 1 })
  const samples = async () =>
    (await lines(meter)).filter((line) => /^tocsin_(broken|rejected|hanging|whole)/.test(line))
  assert.deepEqual(await samples(), ['tocsin_broken 1', 'tocsin_rejected 1', 'tocsin_hanging 1', 'tocsin_whole 1'])
  broken = true
  assert.deepEqual(await samples(), ['tocsin_whole 1'])
})

test('each meter counts separately', async () => {
  const [one, other] = [createMeter(), createMeter()]
  one.count('unknown_devices_total')
  assert.ok((await lines(other)).includes('tocsin_unknown_devices_total 0'))
})

test('Node’s process metrics are included, but none that grow with the connections', async () => {
  const shown = await createMeter().text()
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
    assert.match(shown, new RegExp(`^${name} `, 'm'))
  }
  assert.match(shown, /^process_open_fds [1-9]\d*$/m)
  assert.doesNotMatch(shown, /nodejs_active_/)
})
