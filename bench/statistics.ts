const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

/** The value that a `share` (0 to 1) of all values does not exceed: always one of them, never interpolated. */
function percentile(values: readonly number[], share: number): number {
  const sorted = ascending(values)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

export type Spread = { readonly p50: number; readonly p99: number; readonly max: number; readonly count: number }

export const spreadOf = (values: readonly number[]): Spread => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
  max: percentile(values, 1),
  count: values.length,
})
