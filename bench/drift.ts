import { median, type Slope, theilSen } from './statistics.ts'

/** Whether a figure rises or falls in the course of a measurement. */
export type Drift = {
  readonly name: string
  readonly unit: string
  readonly median: number
  /** Per hour, with its range at 95 % confidence; null for too few samples. */
  readonly perHour: Slope | null
  /** The change over the measurement, as a share of the median. */
  readonly change: number
  readonly verdict: 'rises' | 'falls' | 'steady' | 'too few samples'
}

/** While caches fill and code is compiled, everything rises. */
const WARM_UP_SHARE = 0.2
/**
 * Smaller changes are not called a drift: successive samples resemble each other, so the range of the slope is too
 * narrow.
 */
const NEGLIGIBLE_CHANGE = 0.02

/** `samples`: `at` in hours, in order. The first fifth does not count. */
export function driftOf(
  { name, unit }: Pick<Drift, 'name' | 'unit'>,
  samples: readonly { readonly at: number; readonly value: number }[],
): Drift {
  const settled = samples.slice(Math.ceil(samples.length * WARM_UP_SHARE))
  const typical = median(settled.map(({ value }) => value))
  const perHour = theilSen(settled)
  if (perHour === null) {
    return { name, unit, median: typical, perHour, change: 0, verdict: 'too few samples' }
  }
  const change = (perHour.slope * (settled.at(-1)!.at - settled[0]!.at)) / (typical === 0 ? 1 : typical)
  return { name, unit, median: typical, perHour, change, verdict: verdictOf(perHour, change) }
}

function verdictOf({ range: [low, high] }: Slope, change: number): Drift['verdict'] {
  if (Math.abs(change) < NEGLIGIBLE_CHANGE) return 'steady'
  if (low > 0) return 'rises'
  return high < 0 ? 'falls' : 'steady'
}
