import { HOUR } from '../../lib/durations.ts'
import { type Moments, type RateLimit, waitMsOf, withOneMore } from '../pacing/rate-limiter.ts'

/**
 * Limits on wrong pairing codes: per user, and per address, which many users may share.
 * limits.md#users-and-trackers.
 */
export const WRONG_CODES = {
  ofUser: { times: 20, perMs: HOUR },
  ofAddress: { times: 200, perMs: HOUR },
} as const satisfies Record<string, RateLimit>

/** The wrong codes (epoch ms, earliest first) with one more, counted in advance; or how long to wait. */
export function afterWrongCode(
  times: Moments,
  limit: RateLimit,
  now: number,
): { readonly times: Moments } | { readonly retryAfterMs: number } {
  // Times ahead of the clock are dropped: they are stored with the user, so that not even a restart would forget them.
  const past = times.filter((at) => at <= now)
  const retryAfterMs = waitMsOf(past, limit, now)
  return retryAfterMs > 0 ? { retryAfterMs } : { times: withOneMore(past, limit, now) }
}

/** Removes the try at `at`, whose code was right. */
export function withoutTry(times: Moments, at: number): Moments {
  const place = times.lastIndexOf(at)
  return place === -1 ? times : times.toSpliced(place, 1)
}
