import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareFigures } from '../../bench/compare.ts'
import { BadFile, type Figures, readFigures } from '../../bench/figures.ts'
import { formatComparison } from '../../bench/report/comparison.ts'
import { repeated, spreadOf } from '../../bench/statistics.ts'

const rate = (name: string, runs: readonly number[], micros: readonly number[]) => ({
  name,
  note: 'as it comes',
  ...repeated(runs),
  cpuMicros: repeated(micros),
  threadMicros: { main: repeated(micros) },
  generatorLoad: 0.5,
  othersLoad: null,
})

const runOf = (rates: readonly ReturnType<typeof rate>[], more: object = {}) => ({
  machine: { node: 'v24', cores: 2 },
  aims: { ingestRatio: 0.7 },
  ingest: [{ connections: 50, inFlight: 20, rates, ratios: {} }],
  ...more,
})

const changes = (before: object, now: object) =>
  new Map(compareFigures(before, now).changes.map((change) => [change.name, change]))

test('a figure is marked only beyond the spread of both runs, in the direction that it has', () => {
  const before = runOf([rate('Tocsin', [90, 100, 110], [17, 18, 19])])
  const now = runOf([rate('Tocsin', [111, 120, 130], [16, 17, 17.5])])
  const found = changes(before, now)
  const tocsin = 'ingest / 50 × 20 / rates / Tocsin'
  assert.equal(found.get(tocsin)!.verdict, 'better')
  assert.equal(found.get(tocsin)!.ratio, 1.2)
  assert.equal(found.get(`${tocsin} / cpuMicros`)!.verdict, 'same')
  assert.equal(found.get(`${tocsin} / threadMicros / main`)!.verdict, 'same')
  assert.equal(found.get(`${tocsin} / generatorLoad`)!.verdict, 'same')
  assert.equal(changes(now, before).get(tocsin)!.verdict, 'worse')
  const less = runOf([rate('Tocsin', [100, 100, 100], [10, 11, 12])])
  assert.equal(changes(before, less).get(`${tocsin} / cpuMicros`)!.verdict, 'better')
  assert.equal(changes(less, before).get(`${tocsin} / cpuMicros`)!.verdict, 'worse')
})

test('settings, aims and samples are not compared', () => {
  const names = [...changes(runOf([]), runOf([])).keys()]
  assert.deepEqual(names, [])
})

test('latencies are compared by the ranges of their percentiles; a maximum has none', () => {
  const times = (from: number) => spreadOf(Array.from({ length: 500 }, (_, n) => from + n / 100))
  const of = (from: number) => ({ press: { idle: { processedMs: times(from) } } })
  const found = changes(of(10), of(20))
  assert.equal(found.get('press / idle / processedMs / p50')!.verdict, 'worse')
  assert.equal(found.get('press / idle / processedMs / p99')!.verdict, 'worse')
  assert.equal(found.get('press / idle / processedMs / max')!.verdict, 'no spread')
  assert.equal(changes(of(10), of(10.1)).get('press / idle / processedMs / p50')!.verdict, 'same')
})

test('what only one run has is new or gone, and one round has no spread', () => {
  const found = changes(runOf([rate('A', [1], [2])]), runOf([rate('A', [3], [2]), rate('B', [1], [2])]))
  assert.equal(found.get('ingest / 50 × 20 / rates / A')!.verdict, 'no spread')
  assert.equal(found.get('ingest / 50 × 20 / rates / B')!.verdict, 'new')
  assert.equal(changes(runOf([rate('B', [1], [2])]), runOf([])).get('ingest / 50 × 20 / rates / B')!.verdict, 'gone')
})

test('the processor time of an older version, one number, has the same name', () => {
  const older = runOf([{ ...rate('A', [1, 2], []), cpuMicros: 18 } as unknown as ReturnType<typeof rate>])
  const found = changes(older, runOf([rate('A', [1, 2], [9, 10])])).get('ingest / 50 × 20 / rates / A / cpuMicros')!
  assert.deepEqual([found.ratio, found.verdict], [0.5, 'no spread'])
})

test('slopes are compared by their ranges', () => {
  const of = (slope: number) => ({
    soak: { drifts: [{ name: 'memory', median: 200, perHour: { slope, range: [slope - 1, slope + 1] }, change: 0 }] },
  })
  assert.equal(changes(of(1), of(10)).get('soak / drifts / memory / perHour / slope')!.verdict, 'worse')
})

test('a measurement that only one run made is named, and its figures are not listed', () => {
  const more = { press: { idle: { processedMs: spreadOf([1, 2, 3]) } }, soak: null }
  const { changes: listed, onlyBefore, onlyNow } = compareFigures(runOf([], more), runOf([], { growth: [] }))
  assert.deepEqual({ listed, onlyBefore, onlyNow }, { listed: [], onlyBefore: ['press'], onlyNow: ['growth'] })
})

test('the comparison as text: every figure of both, the ratio, and what is not alike', () => {
  const before = runOf([rate('Tocsin', [90, 100, 110], [17, 18, 19])], { quick: false }) as unknown as Figures
  const now = runOf([rate('Tocsin', [45, 50, 55], [17, 18, 19])], { quick: true }) as unknown as Figures
  const text = formatComparison('before.json', before, now, compareFigures(before, now))
  assert.match(text, /Not alike: a full run before, a quick run now\./)
  assert.match(text, /rates \/ Tocsin +100 \(90–110\) +50 \(45–55\) +0\.50 +worse/)
  assert.doesNotMatch(text, /Node v24 before/)
})

test('a file that holds no figures is named, with what is wrong', () => {
  const reading = (text: string) => readFigures('figures.json', () => text)
  const isBad = (what: RegExp) => (error: Error) => error instanceof BadFile && what.test(error.message)
  assert.throws(() => readFigures('/no/such/file'), isBad(/file: ENOENT/))
  assert.throws(() => reading('not JSON'), isBad(/figures\.json: /))
  for (const text of ['null', '[]', '{}', '3'])
    assert.throws(() => reading(text), isBad(/figures\.json: JSON, but not the figures of a benchmark; write it with/))
  assert.ok(reading(JSON.stringify(runOf([]))))
})
