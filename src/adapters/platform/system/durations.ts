/** One series of durations. `buckets`: how many were at most its upper bound and above the one before. */
export type DurationSeries = {
  readonly labels: Readonly<Record<string, string>>
  readonly buckets: number[]
  count: number
  sum: number
}

/** What has been measured under one name, in series by the values of its labels. */
export class Durations {
  readonly bounds: readonly number[]
  readonly #names: readonly string[]
  readonly #series = new Map<string, DurationSeries>()

  constructor(names: readonly string[], bounds: readonly number[]) {
    this.#names = names
    this.bounds = bounds
  }

  get all(): readonly DurationSeries[] {
    return [...this.#series.values()]
  }

  of(labels: Readonly<Record<string, string | undefined>>): DurationSeries {
    const key = this.#names.map((name) => labels[name] ?? '').join('\0')
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const own = Object.fromEntries(this.#names.map((name) => [name, labels[name] ?? '']))
    const series = { labels: own, buckets: this.bounds.map(() => 0), count: 0, sum: 0 }
    this.#series.set(key, series)
    return series
  }

  /** `seconds`: finite. */
  add(labels: Readonly<Record<string, string | undefined>>, seconds: number): void {
    const series = this.of(labels)
    const bucket = this.bounds.findIndex((bound) => seconds <= bound)
    if (bucket >= 0) series.buckets[bucket]! += 1
    series.count += 1
    series.sum += seconds
  }
}
