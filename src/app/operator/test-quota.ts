import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { MINUTE } from '../../lib/durations.ts'

/** How many tests may leave in how long: each is a real message, which may cost money. */
const TESTS_MS = 10 * MINUTE
/** Of each application, however many others send: no application can use up what all need. */
const OWN = { times: 5, perMs: TESTS_MS }
/** Of each application beyond those, and of all together. */
const MORE = { times: 5, perMs: TESTS_MS }
const SHARED = { times: 20, perMs: TESTS_MS }
const MAX_APPLICATIONS = 10_000

/**
 * Counts test messages, by application. `take` notes one that leaves now and returns null, or says after how long (ms)
 * one may, if nothing else is sent until then. rules.md#tests.
 */
export function testQuota(monotonicMs: () => number): { take(appId: string): number | null } {
  const own = new RateLimiter(OWN, MAX_APPLICATIONS)
  const more = new RateLimiter(MORE, MAX_APPLICATIONS)
  const shared = new RateLimiter(SHARED, 1)
  return {
    take(appId) {
      const now = monotonicMs()
      if (own.take(appId, now)) return null
      const moreMs = Math.max(more.waitMs(appId, now), shared.waitMs('', now))
      if (moreMs > 0) return Math.min(own.waitMs(appId, now), moreMs)
      more.take(appId, now)
      shared.take('', now)
      return null
    },
  }
}
