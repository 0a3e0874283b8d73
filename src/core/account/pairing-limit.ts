import { HOUR } from '../../lib/durations.ts'
import { type Moments, type RateLimit, waitMsOf, withOneMore } from '../pacing/rate-limiter.ts'

/** Wrong pairing codes of one user and of one address, which many may share. rules.md#pairing. */
export const WRONG_CODES = {
  ofUser: { times: 20, perMs: HOUR },
  ofAddress: { times: 200, perMs: HOUR },
} as const satisfies Record<string, RateLimit>

/** The wrong codes (epoch ms, the earliest first) after one more, which counts in advance; or how long to wait. */
export function afterWrongCode(
  times: Moments,
  limit: RateLimit,
  now: number,
): { readonly times: Moments } | { readonly retryAfterMs: number } {
  // What a clock that ran ahead has left is stored with the user: a restart would not forget it.
  const past = times.filter((at) => at <= now)
  const retryAfterMs = waitMsOf(past, limit, now)
  return retryAfterMs > 0 ? { retryAfterMs } : { times: withOneMore(past, limit, now) }
}

/** The code that was tried at `at` was right. */
export function withoutTry(times: Moments, at: number): Moments {
  const place = times.lastIndexOf(at)
  return place === -1 ? times : times.toSpliced(place, 1)
}
