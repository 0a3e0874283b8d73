import { type AppDevice, appSecretHash } from '../../core/account/app-device.ts'
import {
  APP_INVITATION_MS,
  type AppInvitation,
  canEnrol,
  type InvitationKind,
  type InvitedUsers,
  invitationSecretFrom,
  USERS_AT_ONCE,
} from '../../core/account/app-invitation.ts'
import type { User } from '../../core/account/profile.ts'
import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AuditStore, EnrolmentStore } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'

/** An invitation as operators see it. `now`: epoch ms. */
export const invitationView = (invitation: AppInvitation, now: number) => ({
  id: invitation.id,
  kind: invitation.kind,
  userId: invitation.userId,
  label: invitation.label,
  places: invitation.places,
  used: invitation.used,
  works: canEnrol(invitation, now),
  createdBy: invitation.createdBy,
  createdAt: isoAt(invitation.createdAt),
  expiresAt: isoAt(invitation.expiresAt),
  endedAt: isoOrNull(invitation.endedAt),
})

/** A device with the app, as operators and its user see it. */
export const appDeviceView = (device: AppDevice) => ({
  id: device.id,
  name: device.name,
  enrolledAt: isoAt(device.enrolledAt),
  lastUsedAt: isoOrNull(device.usedAt),
  removedFrom: isoOrNull(device.removedFrom),
})

type InvitingNeeds = { readonly store: AuditStore; readonly ids: Pick<Ids, 'uuid' | 'secret'> }

/** An operator's invitation. `user`: the owner of a further device; null for new users. */
export type Inviting = {
  readonly appId: string
  readonly kind: Exclude<InvitationKind, 'contact'>
  readonly user: Pick<User, 'id'> | null
  readonly places: number
  readonly label: string | null
}

/** Makes an invitation. Its secret is returned once, and stored nowhere. */
export async function inviteToApp(
  { store, ids }: InvitingNeeds,
  { appId, kind, user, places, label }: Inviting,
  by: By,
): Promise<
  { readonly invitation: AppInvitation; readonly secret: string } | { readonly refused: 'app_off' | 'invitation_limit' }
> {
  const secret = invitationSecretFrom(ids.secret())
  const invitation: AppInvitation = {
    ...{ id: ids.uuid(), appId, kind, userId: user?.id ?? null, hash: appSecretHash(secret), label, proposes: null },
    ...{ places, used: 0, createdBy: by.actor.name, createdAt: by.now, expiresAt: by.now + APP_INVITATION_MS[kind] },
    endedAt: null,
  }
  const details = { kind, places }
  const row = rowBy(by, { action: 'app.invite', appId, userId: invitation.userId, subject: invitation.id, details })
  const invited = await store.audited(row).inviteToApp(invitation)
  return 'refused' in invited ? invited : { invitation, secret }
}

type NoInvitation = { readonly refused: 'app_invitation_not_found' }

/** Ends an invitation for everyone. Devices that it has enrolled stay. */
export const endInvitation = (
  { store }: Pick<InvitingNeeds, 'store'>,
  { appId, id }: Pick<AppInvitation, 'appId' | 'id'>,
  by: By,
): Promise<AppInvitation | NoInvitation> =>
  store.audited(rowBy(by, { action: 'app.invite_end', appId, subject: id })).endAppInvitation(appId, id, by.now)

/**
 * Stops admitting everyone whom an invitation created, and ends it, or admits them again. Whoever has an open alarm
 * stays: nobody is silenced by a click. Callers within the service end the sessions.
 */
export async function setInvitedDisabled(
  { store }: { readonly store: AuditStore & Pick<EnrolmentStore, 'invitedUsers' | 'setInvitedDisabled'> },
  { appId, id }: Pick<AppInvitation, 'appId' | 'id'>,
  disabled: boolean,
  by: By,
): Promise<(InvitedUsers & { readonly changed: number }) | NoInvitation> {
  const before = await store.invitedUsers(appId, id)
  if (before === null) return { refused: 'app_invitation_not_found' }
  const { users, enabled } = before
  const details = { change: disabled ? 'users_disabled' : 'users_enabled', users, enabled }
  let into: Pick<EnrolmentStore, 'setInvitedDisabled'> = store.audited(
    rowBy(by, { action: disabled ? 'user.change' : 'user.enable', appId, subject: id, details }),
  )
  let changed = 0
  // Parts, so that no alarm waits behind ten thousand users.
  for (;;) {
    const part = await into.setInvitedDisabled(appId, id, { disabled, now: by.now })
    if ('refused' in part) return part
    changed += part.changed
    if (part.changed < USERS_AT_ONCE) break
    into = store
  }
  return { ...((await store.invitedUsers(appId, id)) ?? before), changed }
}

/** Removes a device of a user at once: its credential counts no more. Callers within the service end its sessions. */
export const removeDeviceNow = (
  { store }: Pick<InvitingNeeds, 'store'>,
  { id: userId, appId }: Pick<User, 'id' | 'appId'>,
  id: string,
  by: By,
): Promise<AppDevice | { readonly refused: 'app_device_not_found' }> => {
  const row = rowBy(by, { action: 'user.change', appId, userId, subject: id, details: { change: 'device_removed' } })
  return store.audited(row).removeAppDevice(userId, id, by.now, by.now)
}
