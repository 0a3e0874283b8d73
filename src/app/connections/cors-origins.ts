import { SECOND } from '../../lib/durations.ts'
import type { ApplicationStore } from '../../ports/store.ts'

/** The browser origins that may call. access.md#cors. */
export type CorsOrigins = {
  /**
   * Whether any enabled application lists this origin. Never rejects: if the store cannot be read, no origin is known.
   */
  isKnown(origin: string): Promise<boolean>
  /** Whether this application is enabled and lists the origin. */
  isOf(appId: string, origin: string): Promise<boolean>
}

/** The operator's changes take effect within 2 s (keeping.md#notices). */
const KEPT_MS = SECOND

/** The origins of all applications, read at most once a second. `monotonicMs`: a monotonic clock. */
export function corsOrigins({
  store,
  monotonicMs,
}: {
  readonly store: Pick<ApplicationStore, 'applications'>
  readonly monotonicMs: () => number
}): CorsOrigins {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<ReadonlyMap<string, readonly string[]>> = Promise.resolve(new Map())

  const read = async () =>
    new Map(
      (await store.applications()).filter(({ disabled }) => !disabled).map(({ id, corsOrigins }) => [id, corsOrigins]),
    )
  const current = (): typeof reading => {
    if (monotonicMs() - readAt < KEPT_MS) return reading
    readAt = monotonicMs()
    reading = read().catch(() => new Map())
    return reading
  }
  return {
    async isKnown(origin) {
      return [...(await current()).values()].some((origins) => origins.includes(origin))
    },
    async isOf(appId, origin) {
      return (await current()).get(appId)?.includes(origin) ?? false
    },
  }
}
