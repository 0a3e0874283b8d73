import type { Session } from '../../core/account/session.ts'
import { isoOrNull } from '../../core/ingest/event-time.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PushKeys } from '../../ports/push-sender.ts'
import type { PushStore } from '../../ports/store.ts'
import { type Subscribing, subscribingProblems } from './subscribing.ts'

type Needs = {
  readonly store: Pick<PushStore, 'pushSubscriptions' | 'keepPushSubscription' | 'removePushSubscription'>
  readonly keys: () => Promise<PushKeys | null>
  /** Whether the address guard refuses this host as it stands. */
  readonly isBlockedHost: (host: string) => boolean
  readonly clock: Pick<Clock, 'now'>
  /** There is a subscription now. */
  readonly wanted: () => void
}

type Refused = { readonly refused: 'not_enrolled' | 'push_unavailable' | 'app_device_not_found' }
type Invalid = { readonly refused: 'invalid'; readonly fields: readonly FieldProblem[] }

/** Web Push to the device that asks, with its own credential alone. app.md#news. */
export function ownPush({ store, keys, isBlockedHost, clock, wanted }: Needs) {
  const view = async (userId: string, deviceId: string) => {
    const own = (await store.pushSubscriptions(userId)).find((one) => one.deviceId === deviceId)
    const { publicKey = null } = (await keys()) ?? {}
    if (own === undefined) return { publicKey, subscription: null }
    const { language, wholeText, failure } = own
    const moments = { keptAt: isoOrNull(own.keptAt), sentAt: isoOrNull(own.sentAt), failedAt: isoOrNull(own.failedAt) }
    return { publicKey, subscription: { language, wholeText, ...moments, failure } }
  }

  return {
    async read({ userId, appDeviceId }: Session): Promise<Awaited<ReturnType<typeof view>> | Refused> {
      return appDeviceId === undefined ? { refused: 'not_enrolled' } : view(userId, appDeviceId)
    },

    async subscribe(
      { userId, appDeviceId }: Session,
      subscribing: Subscribing,
    ): Promise<Awaited<ReturnType<typeof view>> | Refused | Invalid> {
      if (appDeviceId === undefined) return { refused: 'not_enrolled' }
      const fields = subscribingProblems(subscribing, isBlockedHost)
      if (fields.length > 0) return { refused: 'invalid', fields }
      if ((await keys()) === null) return { refused: 'push_unavailable' }
      const { endpoint, language, wholeText, keys: own } = subscribing
      const { p256dh, auth } = own
      const target = { endpoint, p256dh, auth, deviceId: appDeviceId, userId }
      const kept = await store.keepPushSubscription({ ...target, language, wholeText, keptAt: clock.now() })
      if ('refused' in kept) return kept
      wanted()
      return view(userId, appDeviceId)
    },

    async unsubscribe({ appDeviceId }: Session): Promise<Refused | null> {
      if (appDeviceId === undefined) return { refused: 'not_enrolled' }
      await store.removePushSubscription(appDeviceId, null)
      return null
    },
  }
}
