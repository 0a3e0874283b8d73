import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { MINUTE } from '../../lib/durations.ts'

/** The period of the limits on tests: each is a real message, which may cost money. */
const TESTS_MS = 10 * MINUTE
/** The limit of each application, however many tests others send: no application can use up the whole quota. */
const OWN = { times: 5, perMs: TESTS_MS }
/** The limit of each application beyond its own, and of all applications together. */
const MORE = { times: 5, perMs: TESTS_MS }
const SHARED = { times: 20, perMs: TESTS_MS }
const MAX_APPLICATIONS = 10_000

/**
 * Counts test messages by application. `take` counts one that leaves now and returns null, or returns the wait (ms) if
 * nothing else is sent until then. access.md#tests.
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
