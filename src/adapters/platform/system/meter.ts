import { SECOND } from '../../../lib/durations.ts'
import { counters, histograms, type Meter } from '../../../ports/meter.ts'
import { CounterCells } from './counter-cells.ts'
import { Durations } from './durations.ts'
import { createExposition, type Exposition, type GaugeParts } from './prometheus.ts'

export type SystemMeter = Meter & {
  /**
   * Adds a gauge, before the first scrape. If its read rejects or takes too long, it is absent from that scrape: an old
   * value would mislead.
   */
  gauge(parts: GaugeParts): void
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>
}

type LabelSet = Readonly<Record<string, string>>

/** Longer than the readiness check can take, and well within Prometheus's 10 s time-out. */
const GAUGE_TIMEOUT_MS = 4 * SECOND

/** Counts in memory. Its text also has Node's process metrics. */
export function createMeter({ gaugeTimeoutMs = GAUGE_TIMEOUT_MS } = {}): SystemMeter {
  const counting = mapTable(counters, (_name, { labels }) => {
    const cells = new CounterCells(Object.keys(labels))
    for (const set of knownSets(labels)) cells.of(set)
    return cells
  })
  const observing = mapTable(histograms, (_name, { labels, buckets }) => {
    const durations = new Durations(Object.keys(labels), buckets)
    for (const set of knownSets(labels)) durations.of(set)
    return durations
  })
  const gauges: GaugeParts[] = []
  let exposition: Promise<Exposition> | null = null
  const expose = async (): Promise<Exposition> => {
    const made = await createExposition({ counting, observing, gaugeTimeoutMs })
    for (const parts of gauges) made.gauge(parts)
    return made
  }

  return {
    count(name, labels: LabelSet = NO_LABELS, by = 1) {
      counting[name].of(labels).value += by
    },
    observe(name, seconds, labels: LabelSet = NO_LABELS) {
      if (Number.isFinite(seconds)) observing[name].add(labels, seconds)
    },
    gauge(parts) {
      if (exposition !== null) throw new Error('the metrics have been read already')
      gauges.push(parts)
    },
    async text() {
      exposition ??= expose().catch((error) => {
        exposition = null
        throw error
      })
      return (await exposition).text()
    },
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

function mapTable<K extends string, V, T>(table: Readonly<Record<K, V>>, make: (key: K, value: V) => T): Record<K, T> {
  const entries = Object.entries(table) as [K, V][]
  return Object.fromEntries(entries.map(([key, value]) => [key, make(key, value)])) as Record<K, T>
}
