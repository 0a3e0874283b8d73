import { MINUTE } from '../../lib/durations.ts'

/** How many tests may leave in how long: each is a real message, which may cost money. */
const TESTS_MS = 10 * MINUTE
const MAX_OF_APPLICATION = 10
/** Of each application, however many others send: no application can use up what all need. */
const OWN_OF_APPLICATION = 5
/** What applications together may send beyond those. */
const MAX_SHARED = 20

/**
 * Counts test messages, by application. `take` notes one that leaves now and returns null, or says after how long (ms)
 * one may, if nothing else is sent until then. rules.md#tests.
 */
export function testQuota(monotonicMs: () => number): { take(appId: string): number | null } {
  /** When tests left, oldest first, by application. */
  const sentAt = new Map<string, readonly number[]>()

  const mayAt = (appId: string, at: number): boolean => {
    const counted = (times: readonly number[]): number => times.filter((time) => at - time < TESTS_MS).length
    const own = counted(sentAt.get(appId) ?? [])
    if (own < OWN_OF_APPLICATION) return true
    if (own >= MAX_OF_APPLICATION) return false
    let shared = 0
    for (const times of sentAt.values()) shared += Math.max(0, counted(times) - OWN_OF_APPLICATION)
    return shared < MAX_SHARED
  }

  return {
    take(appId) {
      const now = monotonicMs()
      for (const [id, times] of sentAt) {
        const left = times.filter((time) => now - time < TESTS_MS)
        if (left.length === 0) sentAt.delete(id)
        else sentAt.set(id, left)
      }
      const own = sentAt.get(appId) ?? []
      if (mayAt(appId, now)) {
        sentAt.set(appId, [...own, now])
        return null
      }
      const ends = [...sentAt.values()].flat().map((time) => time + TESTS_MS)
      return Math.min(...ends.filter((end) => mayAt(appId, end))) - now
    },
  }
}
