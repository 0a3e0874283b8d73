import { HOUR } from '../../lib/durations.ts'

/** Wrong pairing codes in an hour, of one user and of one address, which many may share. rules.md#pairing. */
export const WRONG_CODES = { ofUser: 20, ofAddress: 200 } as const

/**
 * The wrong codes (epoch ms, oldest first) after one more, which counts in advance; or how long to wait, where `max` of
 * them are less than an hour old. Moments in the future were left by a clock that ran ahead, and do not count.
 */
export function afterWrongCode(
  times: readonly number[],
  max: number,
  now: number,
): { readonly times: readonly number[] } | { readonly retryAfterMs: number } {
  const recent = times.filter((at) => at <= now && now - at < HOUR)
  if (recent.length >= max) return { retryAfterMs: recent[recent.length - max]! + HOUR - now }
  return { times: [...recent, now] }
}

/** The code that was tried at `at` was right. */
export function withoutTry(times: readonly number[], at: number): readonly number[] {
  const place = times.lastIndexOf(at)
  return place === -1 ? times : times.toSpliced(place, 1)
}
