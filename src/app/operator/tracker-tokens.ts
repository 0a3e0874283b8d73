import type { User } from '../../core/account/profile.ts'
import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import { secretHash } from '../../core/operator/secret.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AccountStore, AuditStore, HardwareDetail, HardwareRegistry } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'
import { hardwareView } from './trackers.ts'

type TrackerTokenNeeds = {
  readonly store: AuditStore & Pick<HardwareRegistry, 'hardwareDetail'> & Pick<AccountStore, 'userByExternalId'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly devicesPerUser: number
}
type Named = { readonly appId: string; readonly hardwareId: string }
type Unknown = { readonly refused: 'hardware_not_found' | 'not_paired' }
type PairingRefused = { readonly refused: 'user_not_found' | 'paired_to_another' | 'device_limit' }

/** One tracker as operators see it, without its token, which is stored only as a hash. `now`: epoch ms. */
export const trackerDetailView = (tracker: HardwareDetail, now: number) => ({
  ...hardwareView(tracker, now),
  disabled: tracker.disabled,
  applicationSilentAfterMinutes: tracker.applicationSilentAfterMinutes,
  tokenMadeAt: isoOrNull(tracker.tokenMadeAt),
  heardAt: isoOrNull(tracker.heardAt),
  battery: tracker.state?.battery ?? null,
  sosSince: tracker.state?.flag == null ? null : isoAt(tracker.state.flag.since ?? tracker.state.flag.heardAt),
})

/**
 * Gives a paired tracker a new token, which is shown only once; the previous one ends. `externalUserId`: pairs it with
 * this user first, if it is unpaired: a phone that runs a tracker's app has no pairing code to enter. Refused while its
 * user or its application is disabled: the user would rely on a tracker whose reports are refused.
 */
export async function newTrackerToken(
  needs: TrackerTokenNeeds,
  named: Named & { readonly externalUserId: string | null },
  by: By,
): Promise<
  | { readonly token: string; readonly tracker: HardwareDetail }
  | Unknown
  | PairingRefused
  | { readonly refused: 'tracker_disabled' }
> {
  const { store, ids } = needs
  if (named.externalUserId !== null) {
    const user = await store.userByExternalId(named.appId, named.externalUserId)
    const paired = await pairTracker(needs, named, user, by)
    if ('refused' in paired) return paired
  }
  const tracker = await pairedTracker(needs, named)
  if ('refused' in tracker) return tracker
  if (tracker.disabled) return { refused: 'tracker_disabled' }
  const token = ids.secret()
  const set = await store
    .audited(tokenRow(tracker, 'token made', by))
    .setDeviceToken(tracker.deviceId, secretHash(token), by.now)
  return 'refused' in set ? set : { token, tracker: { ...tracker, tokenMadeAt: by.now } }
}

/** Revokes a tracker's token, whether or not its user is disabled: from now on nobody can report as the tracker. */
export async function endTrackerToken(
  needs: Pick<TrackerTokenNeeds, 'store'>,
  named: Named,
  by: By,
): Promise<{ readonly tracker: HardwareDetail } | Unknown> {
  const tracker = await pairedTracker(needs, named)
  if ('refused' in tracker) return tracker
  const set = await needs.store
    .audited(tokenRow(tracker, 'token ended', by))
    .setDeviceToken(tracker.deviceId, null, by.now)
  return 'refused' in set ? set : { tracker: { ...tracker, tokenMadeAt: null } }
}

async function pairedTracker(
  { store }: Pick<TrackerTokenNeeds, 'store'>,
  { appId, hardwareId }: Named,
): Promise<(HardwareDetail & { readonly deviceId: string }) | Unknown> {
  const tracker = await store.hardwareDetail(appId, hardwareId)
  if (tracker === null) return { refused: 'hardware_not_found' }
  const { deviceId } = tracker
  return deviceId === null ? { refused: 'not_paired' } : { ...tracker, deviceId }
}

const tokenRow = ({ appId, userId, hardwareId }: HardwareDetail, change: string, by: By) =>
  rowBy(by, { action: 'device.change', appId, userId, subject: hardwareId, details: { change } })

/** Pairs a tracker with a user of its application, who needs neither an app nor the code: an operator vouches. */
export async function pairTracker(
  {
    store,
    ids,
    devicesPerUser,
  }: Omit<TrackerTokenNeeds, 'store'> & {
    readonly store: AuditStore & Pick<HardwareRegistry, 'hardwareDetail'>
  },
  { appId, hardwareId }: Named,
  user: Pick<User, 'id' | 'appId'> | null,
  by: By,
): Promise<{ readonly paired: true } | Unknown | PairingRefused> {
  const tracker = await store.hardwareDetail(appId, hardwareId)
  if (tracker === null) return { refused: 'hardware_not_found' }
  if (user === null || user.appId !== appId) return { refused: 'user_not_found' }
  // Nothing to do, and no audit row. `pair` detects another user's pairing, in its own transaction.
  if (tracker.userId === user.id) return { paired: true }
  const pairing = { id: ids.uuid(), appId, userId: user.id, hardwareId: tracker.hardwareId, firmwareVersion: null }
  const details = { change: 'paired' }
  const row = rowBy(by, { action: 'device.change', appId, userId: user.id, subject: tracker.hardwareId, details })
  const { now } = by
  const paired = await store.audited(row).pair({ ...pairing, hardwareModel: tracker.model, now, limit: devicesPerUser })
  return 'refused' in paired ? paired : { paired: true }
}
