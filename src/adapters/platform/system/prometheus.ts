import { setTimeout as after } from 'node:timers/promises'
import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import { type CounterName, counters, type HistogramName, histograms } from '../../../ports/meter.ts'
import type { CounterCells } from './counter-cells.ts'
import type { Durations } from './durations.ts'
import { collectProcessMetrics } from './process-metrics.ts'

/** One number or, with a label, one per value of it. */
type GaugeValue = number | Readonly<Record<string, number>>

/** A gauge, read whenever the metrics are. `name` is without the prefix. */
export type GaugeParts = {
  readonly name: string
  readonly help: string
  readonly label?: string
  readonly read: () => GaugeValue | Promise<GaugeValue>
}

/** The series of a meter, as Prometheus reads them. */
export type Exposition = {
  gauge(parts: GaugeParts): void
  text(): Promise<string>
}

const PREFIX = 'tocsin_'
/** Node samples the delay of the event loop every 10 ms; without a sample it reports nonsense. */
const FIRST_SAMPLE_MS = 25

/**
 * Shows these series, and Node's process metrics from now on. A separate module, loaded with the first scrape: a start
 * does not wait for the library.
 */
export async function createExposition(parts: {
  readonly counting: Readonly<Record<CounterName, CounterCells>>
  readonly observing: Readonly<Record<HistogramName, Durations>>
  readonly gaugeTimeoutMs: number
}): Promise<Exposition> {
  const { counting, observing, gaugeTimeoutMs } = parts
  const registry = new Registry()
  const registers = [registry]
  collectProcessMetrics(registry)
  for (const name of Object.keys(counters) as CounterName[]) {
    const { help, labels } = counters[name]
    const shown: Counter = new Counter({
      name: PREFIX + name,
      help,
      labelNames: Object.keys(labels),
      registers,
      collect() {
        shown.reset()
        for (const { labels: own, value } of counting[name].all) shown.inc(own, value)
      },
    })
  }
  for (const name of Object.keys(histograms) as HistogramName[]) {
    registry.registerMetric(shownDurations(PREFIX + name, histograms[name].help, observing[name]) as Metric)
  }
  await after(FIRST_SAMPLE_MS)

  return {
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

/** A metric as the registry reads it: the library's own histogram takes no counts from elsewhere. */
function shownDurations(name: string, help: string, durations: Durations) {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    values: durations.all.flatMap(({ labels, buckets, count, sum }) => {
      // Each counts those before it too.
      const upTo = (index: number): number => buckets.slice(0, index + 1).reduce((total, some) => total + some, 0)
      const bucket = (le: number | '+Inf', value: number) => ({
        metricName: `${name}_bucket`,
        labels: { le, ...labels },
        value,
      })
      return [
        ...durations.bounds.map((bound, index) => bucket(bound, upTo(index))),
        bucket('+Inf', count),
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    }),
  })
  return { name, help, get } as unknown
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
