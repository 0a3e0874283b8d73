import type { Range } from './statistics.ts'

/** One figure of a run; `range`: where it may lie, null if that is unknown. */
export type Figure = { readonly value: number; readonly range: Range | null }

export type Change = {
  /** The way to the figure, as in `ingest / 50 × 20 / Tocsin / cpuMicros`. */
  readonly name: string
  readonly before: Figure | null
  readonly now: Figure | null
  /** Now over before; null if there is nothing to divide. */
  readonly ratio: number | null
  /** Better or worse beyond the ranges of both; same: within them, or not a matter of good and bad. */
  readonly verdict: 'better' | 'worse' | 'same' | 'no spread' | 'new' | 'gone'
}

/** What more of a figure means, by its name; null: neither good nor bad. */
const meanings: readonly (readonly [name: RegExp, more: 'better' | 'worse' | null])[] = [
  [/^(generatorLoad|othersLoad)$/, null],
  [
    /(Ms|Micros|Bytes)$|^(bytesEach|roundTrips|seconds|withheld|waiting|presses|failures|cpuRatios|slowdown|drifts)$/,
    'worse',
  ],
  [/^(rate|rates|ratios|ingest|floodRate|reachedRate|opened|standing|begun|acknowledged)$/, 'better'],
]

/** Not compared: the aims, the machine, each sample of a soak, and what belongs to another figure. */
const LEFT_OUT = new Set([
  'aims',
  'machine',
  'missing',
  'samples',
  'median',
  'runs',
  'count',
  'p50Range',
  'p99Range',
  'range',
])
/** Numbers that say what was measured. */
const SETTINGS =
  /^(connections|requestConnections|inFlight|consoles|pages|openIncidents|incidents|graceSeconds|answerMs|wanted|wantedRate|delayMs|distanceMs|value|idleSeconds|minutes|.*PerSecond)$/

export type Comparison = {
  /** Every figure of the measurements that both runs made, in the order of the later one. Never a gate. */
  readonly changes: readonly Change[]
  /** The measurements that only one of them made. */
  readonly onlyBefore: readonly string[]
  readonly onlyNow: readonly string[]
}

export function compareFigures(before: object, now: object): Comparison {
  const [was, is] = [measuredIn(before), measuredIn(now)]
  const earlier = figuresIn(was.filter(([name]) => is.some(([other]) => other === name)))
  const later = figuresIn(is.filter(([name]) => was.some(([other]) => other === name)))
  const missingIn = (some: readonly Entry[], others: readonly Entry[]) =>
    others.map(([name]) => name).filter((name) => !some.some(([other]) => other === name))
  return {
    changes: [...new Set([...later.keys(), ...earlier.keys()])].map((name) =>
      changeOf(name, earlier.get(name) ?? null, later.get(name) ?? null),
    ),
    onlyBefore: missingIn(is, was),
    onlyNow: missingIn(was, is),
  }
}

type Entry = readonly [name: string, figures: unknown]

/** What a run measured: it says null of everything else, and an older version says nothing. */
const measuredIn = (run: object): Entry[] =>
  Object.entries(run).filter(
    ([name, figures]) => typeof figures === 'object' && figures !== null && !LEFT_OUT.has(name),
  )

function changeOf(name: string, before: Figure | null, now: Figure | null): Change {
  const ratio = before === null || now === null || before.value === 0 ? null : now.value / before.value
  return { name, before, now, ratio, verdict: verdictOf(name, before, now) }
}

function verdictOf(name: string, before: Figure | null, now: Figure | null): Change['verdict'] {
  if (before === null) return 'new'
  if (now === null) return 'gone'
  const more = meaningOf(name)
  if (more === null || before.value === now.value) return 'same'
  if (before.range === null || now.range === null) return 'no spread'
  if (now.range[0] > before.range[1]) return more
  if (now.range[1] < before.range[0]) return more === 'better' ? 'worse' : 'better'
  return 'same'
}

/** The last part of a name that means something decides. */
function meaningOf(name: string): 'better' | 'worse' | null {
  for (const part of name.split(SEPARATOR).reverse()) {
    const meaning = meanings.find(([pattern]) => pattern.test(part))
    if (meaning !== undefined) return meaning[1]
  }
  return null
}

const SEPARATOR = ' / '

/** Every number in measurements by its name, with its range where repeated runs or a spread give one. */
const figuresIn = (entries: readonly Entry[]): Map<string, Figure> => new Map(walk(Object.fromEntries(entries), []))

type Json = { readonly [key: string]: unknown }

function* walk(json: unknown, path: readonly string[]): Generator<[string, Figure]> {
  if (typeof json === 'number') yield [path.join(SEPARATOR), { value: json, range: null }]
  if (typeof json !== 'object' || json === null) return
  if (Array.isArray(json)) {
    for (const [n, one] of json.entries()) yield* walk(one, [...path, nameOf(one, n)])
    return
  }
  const node = json as Json
  // A repeated figure has the name of what was repeated.
  if (typeof node.median === 'number') {
    yield [path.join(SEPARATOR), { value: node.median, range: rangeOfRuns(node.runs) }]
  }
  for (const [key, value] of Object.entries(node)) {
    if (LEFT_OUT.has(key) || (typeof value === 'number' && SETTINGS.test(key))) continue
    const range = key === 'slope' ? node.range : node[`${key}Range`]
    if (typeof value === 'number') yield [[...path, key].join(SEPARATOR), { value, range: rangeIn(range) }]
    else yield* walk(value, [...path, key])
  }
}

/** What distinguishes one element of a list from the others. */
function nameOf(element: unknown, index: number): string {
  const { name, value, delayMs, connections, inFlight } = Object(element) as Json
  if (typeof name === 'string') return name
  if (typeof value === 'number') return value.toLocaleString('en')
  if (typeof delayMs === 'number') return `${delayMs} ms`
  return typeof connections === 'number' ? `${connections} × ${inFlight}` : String(index)
}

function rangeOfRuns(runs: unknown): Range | null {
  // One run has no spread.
  return Array.isArray(runs) && runs.length > 1 ? [Math.min(...runs), Math.max(...runs)] : null
}

const rangeIn = (range: unknown): Range | null =>
  Array.isArray(range) && range.length === 2 ? [Number(range[0]), Number(range[1])] : null
