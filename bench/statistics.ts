const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

/** The `rank`th smallest of sorted values, counted from 1; the nearest if there is none of that rank. */
const atRank = (sorted: readonly number[], rank: number): number =>
  sorted[Math.min(sorted.length, Math.max(1, rank)) - 1] ?? Number.NaN

/** The value that a `share` (0 to 1) of all values does not exceed: always one of them, never interpolated. */
const percentile = (sorted: readonly number[], share: number): number =>
  atRank(sorted, Math.ceil(sorted.length * share))

export const median = (values: readonly number[]): number => percentile(ascending(values), 0.5)

/** From the lowest to the highest. */
export type Range = readonly [number, number]

/** Two-sided 95 % of a normal distribution. */
const CONFIDENCE_Z = 1.96

/**
 * Where the percentile lies with 95 % confidence, by the ranks around it (binomial, approximated as normal), whatever
 * the distribution. Too few values for a bound give the lowest or the highest.
 */
function percentileRange(sorted: readonly number[], share: number): Range {
  const rank = sorted.length * share
  const reach = CONFIDENCE_Z * Math.sqrt(rank * (1 - share))
  return [atRank(sorted, Math.floor(rank - reach)), atRank(sorted, Math.ceil(rank + reach) + 1)]
}

/** The ranges: 95 % confidence. */
export type Spread = {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly count: number
  readonly p50Range: Range
  readonly p99Range: Range
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = ascending(values)
  return {
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
    count: sorted.length,
    p50Range: percentileRange(sorted, 0.5),
    p99Range: percentileRange(sorted, 0.99),
  }
}

/** One figure, measured in several rounds. */
export type Repeated = { readonly median: number; readonly runs: readonly number[] }

export const repeated = (runs: readonly number[]): Repeated => ({ median: median(runs), runs })

/** Of a figure that the system may not report: null unless it reported it in some round. */
export function repeatedKnown(runs: readonly (number | null)[]): Repeated | null {
  const known = runs.filter((run) => run !== null)
  return known.length === 0 ? null : repeated(known)
}

export type Slope = {
  /** Per unit of `at`. */
  readonly slope: number
  /** Where the slope lies with 95 % confidence. */
  readonly range: Range
}

/** Fewer points say nothing about a slope. */
const MIN_POINTS = 8

/**
 * The Theil–Sen slope: the median of the slopes between all pairs of points, which a few outliers do not move. Its
 * range is Sen's, from the variance of Kendall's S; it takes the points as independent. Null for too few points.
 */
export function theilSen(points: readonly { readonly at: number; readonly value: number }[]): Slope | null {
  const count = points.length
  if (count < MIN_POINTS) return null
  const slopes = ascending(
    points.flatMap((one, n) =>
      points
        .slice(n + 1)
        .flatMap((other) => (other.at === one.at ? [] : [(other.value - one.value) / (other.at - one.at)])),
    ),
  )
  const reach = CONFIDENCE_Z * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)
  const low = atRank(slopes, Math.floor((slopes.length - reach) / 2))
  const high = atRank(slopes, Math.ceil((slopes.length + reach) / 2) + 1)
  return { slope: percentile(slopes, 0.5), range: [low, high] }
}
