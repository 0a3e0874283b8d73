import type { Drift } from '../drift.ts'
import type { SoakFigures, SoakSample } from '../measurements/soak.ts'
import { known, megabytes, ms, table, whole } from './text.ts'

/** The table has this many lines at most. */
const MAX_LINES = 30

export function formatSoak(figures: SoakFigures): string[] {
  const { minutes, telemetryPerSecond, pressesPerSecond, presses, acknowledged, failures, withheld } = figures
  const failed = Object.entries(failures).map(([reason, count]) => `${whole(count)} failed: ${reason}`)
  return [
    '',
    `A soak of ${minutes} min, ${telemetryPerSecond} telemetry messages and ${pressesPerSecond} presses a second`,
    ...table([
      ['after', 'resident', 'heap', 'log', 'database', 'event loop p99', 'presses', 'p50', 'p99'],
      ...thinned(figures.samples).map(cellsOf),
    ]),
    `  ${whole(presses.count)} presses, ${whole(acknowledged)} acknowledged by a contact: p50 ${ms(presses.p50)}, p99 ${ms(presses.p99)}, max ${ms(presses.max)}${[...failed, ...(withheld > 0 ? [`${whole(withheld)} telemetry messages not sent in time`] : [])].map((line) => `; ${line}`).join('')}`,
    ...figures.drifts.map((drift) => `  ${verdictOn(drift)}`),
  ]
}

/** At regular distances, and always the last one. */
function thinned(samples: readonly SoakSample[]): readonly SoakSample[] {
  const every = Math.ceil(samples.length / MAX_LINES)
  return samples.filter((_, n) => (samples.length - 1 - n) % every === 0)
}

const cellsOf = (sample: SoakSample): string[] => [
  `${whole(sample.atSeconds)} s`,
  known(sample.residentBytes, megabytes),
  megabytes(sample.heapBytes),
  megabytes(sample.logBytes),
  megabytes(sample.databaseBytes),
  ms(sample.eventLoopP99Ms),
  whole(sample.presses),
  known(sample.pressP50Ms, ms),
  known(sample.pressP99Ms, ms),
]

/** In plain words. */
function verdictOn({ name, unit, median, perHour, change, verdict }: Drift): string {
  if (perHour === null) return `${name}: too few samples to tell a drift.`
  const { slope, range } = perHour
  const figures = `${signed(slope)} ${unit} an hour (with 95 % confidence ${signed(range[0])} to ${signed(range[1])}), ${signed(change * 100)} % of ${median.toFixed(1)} ${unit} while it was measured`
  return `${name} ${verdict === 'steady' ? 'shows no drift' : verdict.toUpperCase()}: ${figures}.`
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
