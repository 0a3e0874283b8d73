import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driftOf } from '../../bench/drift.ts'
import { formatApps } from '../../bench/report/apps.ts'
import { formatFlooder } from '../../bench/report/flooder.ts'
import { formatGrowth } from '../../bench/report/growth.ts'
import { formatIngest } from '../../bench/report/ingest.ts'
import { formatSoak } from '../../bench/report/soak.ts'
import { repeated, spreadOf } from '../../bench/statistics.ts'

const MB = 1024 * 1024

test('a soak: a line for some of the samples and always for the last, and a verdict in words for each figure', () => {
  const samples = Array.from({ length: 180 }, (_, n) => ({
    atSeconds: 10 * (n + 1),
    residentBytes: (200 + n / 2) * MB,
    heapBytes: 60 * MB,
    logBytes: 4 * MB,
    databaseBytes: n * MB,
    eventLoopP99Ms: 12,
    presses: 50,
    pressP50Ms: 3,
    pressP99Ms: 9,
  }))
  const over = (name: string, unit: string, valueAt: (n: number) => number) =>
    driftOf(
      { name, unit },
      samples.map((sample, n) => ({ at: sample.atSeconds / 3600, value: valueAt(n) })),
    )
  const lines = formatSoak({
    minutes: 30,
    telemetryPerSecond: 500,
    pressesPerSecond: 5,
    presses: spreadOf([1, 2, 3]),
    acknowledged: 2,
    failures: { 'no SMS within 30 s': 1 },
    withheld: 0,
    drifts: [over('resident memory', 'MB', (n) => 200 + n / 2), over('heap', 'MB', () => 60)],
    samples,
  })
  const text = lines.join('\n')
  assert.equal(lines.filter((line) => /^ +[\d,]+ s /.test(line)).length, 30)
  assert.match(text, /1,800 s +289\.5 MB +60\.0 MB +4\.0 MB +179\.0 MB +12\.0 ms +50 +3\.00 ms +9\.00 ms/)
  assert.match(
    text,
    /resident memory RISES: \+180\.0 MB an hour \(with 95 % confidence \+180\.0 to \+180\.0\), \+28\.\d % of/,
  )
  assert.match(text, /heap shows no drift: \+0\.0 MB an hour/)
  assert.match(text, /3 presses, 2 acknowledged by a contact: .*; 1 failed: no SMS within 30 s/)
})

const threadMicros = { main: repeated([7, 8, 9]), writer: repeated([10, 11, 12]), others: repeated([0, 0, 0]) }

test('ingest: the threads, the busiest first, and both ratios', () => {
  const rate = { name: 'Tocsin', note: '', ...repeated([90, 100, 110]), generatorLoad: 0.4, othersLoad: null }
  const tocsin = { ...rate, cpuMicros: repeated([19]), threadMicros }
  const peer = { ...rate, name: 'Mosquitto', cpuMicros: null, threadMicros: null }
  const ratios = { Mosquitto: 0.5, 'bare Node': 0.2 }
  const of = (cpuRatios: Readonly<Record<string, number>>) =>
    formatIngest([{ connections: 50, inFlight: 20, rates: [tocsin, peer], ratios, cpuRatios }]).join('\n')
  assert.match(of({}), /of Tocsin by thread: writer 11\.0 µs, main 8\.0 µs\n/)
  assert.match(
    of({ Mosquitto: 1.9 }),
    /Tocsin \/ Mosquitto: 0\.50 of the rate \(aim: 0\.9\), 1\.90 times the CPU\/message \(aim: 1\.8\)\n/,
  )
  assert.match(of({}), /Tocsin \/ Mosquitto: 0\.50 of the rate \(aim: 0\.9\)\n/)
  assert.match(of({}), /Tocsin \/ bare Node: 0\.20 of the rate$/)
})

test('growth: a table for each thing that grows, and a note where there were too few descriptors', () => {
  const level = { value: 1000, rate: repeated([5000]), withheld: 20, cpuMicros: repeated([19]), threadMicros }
  const text = formatGrowth([{ name: 'connections', tooFew: 'Too few.', levels: [level] }]).join('\n')
  assert.match(text, /Too few\.\n +connections +messages\/s/)
  assert.match(text, /1,000 +5,000 +20 +19\.0 µs +writer 11\.0 µs, main 8\.0 µs/)
})

test('apps: what all of them take of a core, on a usual day and at the peak', () => {
  const spread = spreadOf([3, 4])
  const pressed = { processedMs: spread, acknowledgedMs: spread }
  const sums = { requests: 7, connections: 3, bytesReceived: 12_868, bytesSent: 9_922, commits: 1 }
  const text = formatApps({
    installed: 10_000,
    opening: { ...sums, openMs: spread, threadMicros: { main: 5000, writer: 1000, checkpoints: 0.2 } },
    standingMicros: 300,
    peakPerSecond: 10 / 3,
    alone: pressed,
    beside: { ...pressed, openMs: spread },
    slowdown: repeated([0.9, 1, 1.2]),
  }).join('\n')
  assert.match(text, /7\.0 requests on 3\.0 connections, 12,868 bytes received and 9,922 sent, 1\.00 commits/)
  assert.match(text, /0\.12 a second: 0\.07 % of a core; at the peak, 3\.3 a second: 2\.00 % of a core/)
  assert.match(text, /p99 to that alone 1\.00 \(0\.90 to 1\.20\)/)
})

test('flooder: a row for each flood, and none for those that an earlier run did not have', () => {
  const spreads = { processedMs: spreadOf([3, 4]), acknowledgedMs: spreadOf([2, 3]) }
  const beside = { ...spreads, floodRate: 1234 }
  const earlier = { connections: 8, inFlight: 100, quiet: spreads, telemetry: beside, alerts: beside }
  const rows = (lines: readonly string[]) => lines.filter((line) => / ms/.test(line)).length
  assert.equal(rows(formatFlooder(earlier)), 3)
  const rest = { requests: beside, unreadable: beside, newConnections: beside, handshakes: beside }
  const now = formatFlooder({ ...earlier, requestConnections: 200, ...rest })
  assert.equal(rows(now), 7)
  assert.match(now.join('\n'), /new TLS connections +1,234 +3\.00 ms +4\.00 ms/)
})
