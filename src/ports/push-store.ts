import type { PushFailure, PushMark, PushSubscription } from '../core/account/push-subscription.ts'

type NewSubscription = Omit<PushSubscription, 'sentAt' | 'failedAt' | 'failure'>
/** An endpoint that is no longer the device's concerns nobody. */
type Target = Pick<PushSubscription, 'deviceId' | 'endpoint'>

/** Web Push to devices with the app in the box: one subscription a device, which ends with it. app.md#news. */
export type PushStore = {
  /** The site's key pair, sealed; null: none was made yet. */
  pushKey(): Promise<string | null>
  /** Of several nodes that make one together the first one's counts. Resolves with the one that counts. */
  keepPushKey(sealed: string, at: number): Promise<string>
  /** Whether any device has a subscription. */
  arePushesWanted(): Promise<boolean>
  /** A user's: at most one for each of their devices. */
  pushSubscriptions(userId: string): Promise<readonly PushSubscription[]>
  /** Replaces the device's own, and takes the endpoint from any other device: one browser has become another's. */
  keepPushSubscription(
    subscription: NewSubscription,
  ): Promise<{ readonly kept: true } | { readonly refused: 'app_device_not_found' }>
  /** `endpoint` null: any. */
  removePushSubscription(deviceId: string, endpoint: string | null): Promise<void>
  /**
   * Marks the device as told, for this process alone. False: another process was first, the device knows it already or
   * knows newer, or it has another endpoint now.
   */
  claimPush(target: Target, mark: PushMark): Promise<boolean>
  /** The end of a push, at `at`. `failure` null: the push service accepted it. */
  notePush(target: Target, end: { readonly failure: PushFailure | null; readonly at: number }): Promise<void>
}
