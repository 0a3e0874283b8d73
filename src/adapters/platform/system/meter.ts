import { setTimeout as after } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { SECOND } from '../../../lib/durations.ts'
import { counters, histograms, type Meter } from '../../../ports/meter.ts'
import { collectProcessMetrics } from './process-metrics.ts'

/** One number or, with a label, one number per label value. */
type GaugeValue = number | Readonly<Record<string, number>>

/** A gauge, read whenever the metrics are. `name` is without the prefix. */
type ShownGauge = {
  readonly name: string
  readonly help: string
  readonly label?: string
  readonly read: () => GaugeValue | Promise<GaugeValue>
}

export type SystemMeter = Meter & {
  /** Adds a gauge. If its read rejects or takes too long, it is absent from that scrape: an old value would mislead. */
  gauge(shown: ShownGauge): void
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>
}

type LabelSet = Readonly<Record<string, string>>
type Labels = Readonly<Record<string, readonly string[] | null>>

const PREFIX = 'tocsin_'
/** Longer than the readiness check can take, and well within Prometheus's 10 s time-out. */
const GAUGE_TIMEOUT_MS = 4 * SECOND
/** Node samples the delay of the event loop every 10 ms; without a sample it reports nonsense. */
const FIRST_SAMPLE_MS = 25
/** The most series of a metric. Further ones count as `other`: foreign values must not fill memory. */
const MAX_SERIES = 2_000
const BEYOND = 'other'
const NO_LABELS: LabelSet = Object.freeze({})

/** Counts in memory. Its text includes Node's process metrics, which are collected from the first scrape on. */
export function createMeter({ gaugeTimeoutMs = GAUGE_TIMEOUT_MS } = {}): SystemMeter {
  const registry = new Registry()
  const registers = [registry]
  const counting = mapTable(counters, (name, { help, labels }) => {
    const counter = new Counter({ name: PREFIX + name, help, labelNames: Object.keys(labels), registers })
    for (const set of knownSets(labels)) counter.inc(set, 0)
    return childrenOf(labels, (set) => counter.labels(set))
  })
  const observing = mapTable(histograms, (name, { help, labels, buckets }) => {
    const labelNames = Object.keys(labels)
    const histogram = new Histogram({ name: PREFIX + name, help, labelNames, buckets: [...buckets], registers })
    for (const set of knownSets(labels)) histogram.zero(set)
    return childrenOf(labels, (set) => histogram.labels(set))
  })
  let processMetrics: Promise<Registry> | null = null

  return {
    count(name, labels: LabelSet = NO_LABELS, by = 1) {
      counting[name](labels).inc(by)
    },
    observe(name, seconds, labels: LabelSet = NO_LABELS) {
      if (Number.isFinite(seconds)) observing[name](labels).observe(seconds)
    },
    gauge({ name, help, label, read }) {
      const labelNames = label === undefined ? [] : [label]
      const gauge: Gauge = new Gauge({
        name: PREFIX + name,
        help,
        labelNames,
        registers,
        async collect() {
          const reading = await readIn(read, gaugeTimeoutMs)
          if (label === undefined) {
            if (typeof reading === 'number') gauge.set(reading)
            else gauge.remove()
            return
          }
          gauge.reset()
          for (const [value, one] of Object.entries(reading ?? {})) gauge.set({ [label]: value }, one)
        },
      })
    },
    async text() {
      processMetrics ??= startProcessMetrics()
      const ofProcess = await processMetrics
      return [await ofProcess.metrics(), await registry.metrics()].join('\n')
    },
  }
}

async function startProcessMetrics(): Promise<Registry> {
  const registry = new Registry()
  collectProcessMetrics(registry)
  await after(FIRST_SAMPLE_MS)
  return registry
}

/**
 * Finds the child of a metric for a set of labels. Unknown labels are ignored and missing ones are empty, because the
 * library throws over them and counting must never break what is counted.
 */
function childrenOf<T>(labels: Labels, make: (set: Record<string, string>) => T): (given: LabelSet) => T {
  const names = Object.keys(labels)
  const beyond = Object.fromEntries(names.map((name) => [name, BEYOND]))
  const children = new Map<string, T>()
  const add = (key: string, given: LabelSet): T => {
    const child = make(Object.fromEntries(names.map((name) => [name, given[name] ?? ''])))
    children.set(key, child)
    return child
  }
  const keyOf = (given: LabelSet): string => {
    let key = ''
    for (const name of names) key += `${given[name] ?? ''}\0`
    return key
  }
  const keyBeyond = keyOf(beyond)
  return (given) => {
    const key = keyOf(given)
    const known = children.get(key)
    if (known !== undefined) return known
    if (children.size < MAX_SERIES) return add(key, given)
    return children.get(keyBeyond) ?? add(keyBeyond, beyond)
  }
}

/**
 * Every label set whose values are all closed. Its series exists from the start: a rate over a series that begins with
 * its first count would miss that count.
 */
function knownSets(labels: Labels): readonly LabelSet[] {
  let sets: readonly LabelSet[] = [NO_LABELS]
  for (const [name, values] of Object.entries(labels)) {
    if (values === null) return []
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })))
  }
  return sets
}

function mapTable<K extends string, V, T>(table: Readonly<Record<K, V>>, make: (key: K, value: V) => T): Record<K, T> {
  const entries = Object.entries(table) as [K, V][]
  return Object.fromEntries(entries.map(([key, value]) => [key, make(key, value)])) as Record<K, T>
}

/** Null if the gauge fails or is too slow. One broken gauge must not hide the others. */
async function readIn(read: ShownGauge['read'], timeoutMs: number): Promise<GaugeValue | null> {
  const settled = new AbortController()
  try {
    return await Promise.race([
      Promise.resolve().then(read),
      after(timeoutMs, null, { signal: settled.signal, ref: false }),
    ])
  } catch {
    return null
  } finally {
    settled.abort()
  }
}
