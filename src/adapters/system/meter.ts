import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type CounterName, counters, type HistogramName, histograms, type Meter } from '../../ports/meter.ts'

export type SystemMeter = Meter & {
  /** Adds a gauge that is read whenever the metrics are. `name` goes without the prefix. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Everything counted so far, in the Prometheus text format. */
  text(): Promise<string>
}

const PREFIX = 'tocsin_'
/** Seconds, from a commit on a fast disk to a queue that is an hour long. */
const BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]

/** Counts in memory, in a registry of its own, beside what Node tells of its process. */
export function createMeter(): SystemMeter {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const counting = mapTable(
    counters,
    (name, { help, labels }) => new Counter({ name: PREFIX + name, help, labelNames: [...labels], registers }),
  )
  const observing = mapTable(
    histograms,
    (name, { help, labels }) =>
      new Histogram({ name: PREFIX + name, help, labelNames: [...labels], buckets: BUCKETS, registers }),
  )

  return {
    count(name: CounterName, labels = {}, by = 1) {
      counting[name].inc(known(counters[name].labels, labels), by)
    },
    observe(name: HistogramName, seconds, labels = {}) {
      observing[name].observe(known(histograms[name].labels, labels), seconds)
    },
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name: PREFIX + name,
        help,
        registers,
        // One that cannot be read right now must not hide the others.
        collect: async () =>
          gauge.set(
            await Promise.resolve()
              .then(read)
              .catch(() => Number.NaN),
          ),
      })
    },
    text: () => registry.metrics(),
  }
}

/** Only the labels of the table: an unknown one would throw, and counting must never cost what is counted. */
const known = (names: readonly string[], labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(names.map((label) => [label, labels[label] ?? '']))

function mapTable<K extends string, V, T>(table: Readonly<Record<K, V>>, make: (key: K, value: V) => T): Record<K, T> {
  const entries = Object.entries(table) as [K, V][]
  return Object.fromEntries(entries.map(([key, value]) => [key, make(key, value)])) as Record<K, T>
}
