import { appInForce } from '../../core/account/app-invitation.ts'
import { shownEmergencyNumber } from '../../core/account/web-app.ts'
import { SECOND } from '../../lib/durations.ts'
import type { ApplicationStore } from '../../ports/store.ts'
import type { WebApp, WebApps } from '../../ports/web-apps.ts'

/** The operator's changes take effect within 2 s (keeping.md#notices). */
const KEPT_MS = SECOND

/**
 * The applications that have the app switched on, read at most once a second: anyone may ask. `timeZone`: the
 * machine's. `monotonicMs`: a monotonic clock.
 */
export function webApps({
  store,
  monotonicMs,
  machineTimeZone,
}: {
  readonly store: Pick<ApplicationStore, 'applications'>
  readonly monotonicMs: () => number
  readonly machineTimeZone: () => string
}): WebApps {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<ReadonlyMap<string, WebApp>> = Promise.resolve(new Map())

  const read = async (): Promise<ReadonlyMap<string, WebApp>> => {
    const on = (await store.applications()).flatMap((application) => {
      const app = appInForce(application)
      if (app === null) return []
      const { id, name, timeZone, smsSos, smsNumber: number } = application
      const emergencyNumber = shownEmergencyNumber(app, timeZone ?? machineTimeZone())
      const { colour, country } = app
      const smsNumber = smsSos ? number : null
      return [[id, { id, name, colour, emergencyNumber, country, smsNumber }] as const]
    })
    return new Map(on)
  }
  const current = (): typeof reading => {
    if (monotonicMs() - readAt < KEPT_MS) return reading
    readAt = monotonicMs()
    const next = read()
    // A failed read is not kept.
    next.catch(() => {
      readAt = Number.NEGATIVE_INFINITY
    })
    reading = next
    return reading
  }
  return {
    isAnyOn: async () => (await current()).size > 0,
    find: async (appId) => (await current()).get(appId.toLowerCase()) ?? null,
  }
}
