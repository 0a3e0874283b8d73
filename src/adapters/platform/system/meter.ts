import { setTimeout as after } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { SECOND } from '../../../lib/durations.ts'
import { counters, histograms, type Meter } from '../../../ports/meter.ts'
import { CounterCells } from './counter-cells.ts'
import { collectProcessMetrics } from './process-metrics.ts'

/** One number or, with a label, one per value of it. */
type GaugeValue = number | Readonly<Record<string, number>>

/** A gauge, read whenever the metrics are. `name` is without the prefix. */
type GaugeParts = {
  readonly name: string
  readonly help: string
  readonly label?: string
  readonly read: () => GaugeValue | Promise<GaugeValue>
}

export type SystemMeter = Meter & {
  /** Adds a gauge. If its read rejects or takes too long, it is absent from that scrape: an old value would mislead. */
  gauge(parts: GaugeParts): void
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>
}

type LabelSet = Readonly<Record<string, string>>

const PREFIX = 'tocsin_'
/** Longer than the readiness check can take, and well within Prometheus's 10 s time-out. */
const GAUGE_TIMEOUT_MS = 4 * SECOND

/** Counts in memory, in its own registry, and adds Node's process metrics. */
export function createMeter({ gaugeTimeoutMs = GAUGE_TIMEOUT_MS } = {}): SystemMeter {
  const registry = new Registry()
  const registers = [registry]
  collectProcessMetrics(registry)

  const counting = mapTable(counters, (name, { help, labels }) => {
    const cells = new CounterCells(Object.keys(labels))
    for (const set of knownSets(labels)) cells.of(set)
    const shown: Counter = new Counter({
      name: PREFIX + name,
      help,
      labelNames: Object.keys(labels),
      registers,
      collect() {
        shown.reset()
        for (const { labels: own, value } of cells.all) shown.inc(own, value)
      },
    })
    return cells
  })
  const observing = mapTable(histograms, (name, { help, labels, buckets }) => {
    const labelNames = Object.keys(labels)
    const histogram = new Histogram({ name: PREFIX + name, help, labelNames, buckets: [...buckets], registers })
    for (const set of knownSets(labels)) histogram.zero(set)
    return histogram
  })

  return {
    count(name, labels: LabelSet = NO_LABELS, by = 1) {
      counting[name].of(labels).value += by
    },
    observe(name, seconds, labels: LabelSet = NO_LABELS) {
      // The library throws on anything else.
      if (Number.isFinite(seconds)) observing[name].observe(labels, seconds)
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
    text: () => registry.metrics(),
  }
}

const NO_LABELS: LabelSet = Object.freeze({})

/**
 * Every label set whose values are all closed. Its series exists from the start: a rate over a series that begins with
 * its first count would miss that count.
 */
function knownSets(labels: Readonly<Record<string, readonly string[] | null>>): readonly LabelSet[] {
  let sets: readonly LabelSet[] = [NO_LABELS]
  for (const [name, values] of Object.entries(labels)) {
    if (values === null) return []
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })))
  }
  return sets
}

/** Null if the gauge fails or is too slow. One broken gauge must not hide the others. */
async function readIn(read: GaugeParts['read'], timeoutMs: number): Promise<GaugeValue | null> {
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

function mapTable<K extends string, V, T>(table: Readonly<Record<K, V>>, make: (key: K, value: V) => T): Record<K, T> {
  const entries = Object.entries(table) as [K, V][]
  return Object.fromEntries(entries.map(([key, value]) => [key, make(key, value)])) as Record<K, T>
}
