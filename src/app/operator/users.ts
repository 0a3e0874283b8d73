import type { Application } from '../../core/account/application.ts'
import { profileView, recordTimes, type User } from '../../core/account/profile.ts'
import { isoOrNull } from '../../core/ingest/event-time.ts'
import type { AccountStore, AuditStore, ErasureStore } from '../../ports/store.ts'
import { type Erased, eraseUser } from '../user/erase-user.ts'
import { type By, rowBy } from './by.ts'

/** A user as the operator sees them. */
export const userView = (user: User) => ({
  ...profileView(user),
  language: user.textLanguage,
  groups: user.groupNames ?? [],
  disabled: user.disabled,
  relay: user.relay,
  enrolledBy: user.enrolledBy,
  erasesAt: isoOrNull(user.erasesAt),
  ...recordTimes(user),
})

/** The details that an alarm of this user would lack: a contact, a name, a number to call back. */
export const missingDetails = (
  { name, phone }: User,
  contacts: readonly unknown[],
  application: Pick<Application, 'fallbackContact'> | null,
): readonly ('contacts' | 'name' | 'phone')[] => [
  ...(contacts.length === 0 && (application?.fallbackContact ?? null) === null ? (['contacts'] as const) : []),
  ...(name === null ? (['name'] as const) : []),
  ...(phone === null ? (['phone'] as const) : []),
]

/** Stops admitting a user, or admits them again. Callers within the service end the sessions. */
export function setUserDisabled(
  { store }: { readonly store: AuditStore },
  { id, appId, externalUserId }: User,
  disabled: boolean,
  by: By,
): Promise<User | { readonly refused: 'user_not_found' }> {
  const details = { change: disabled ? 'disabled' : 'enabled' }
  const row = rowBy(by, { action: 'user.change', appId, userId: id, details })
  return store.audited(row).setUserDisabled(appId, externalUserId, disabled)
}

/** Lists a user as a relay, or removes them from the list. rules.md#relays. */
export function setUserRelay(
  { store }: { readonly store: AuditStore },
  { id, appId, externalUserId }: User,
  relay: boolean,
  by: By,
): Promise<User | { readonly refused: 'user_not_found' }> {
  const details = { change: relay ? 'relay_on' : 'relay_off' }
  const row = rowBy(by, { action: 'user.change', appId, userId: id, details })
  return store.audited(row).setUserRelay(appId, externalUserId, relay)
}

type Erasing = {
  readonly store: ErasureStore & Pick<AccountStore, 'userByExternalId'>
  readonly pause: (ms: number) => Promise<void>
}

/** Erases a user. The row says that a user was erased, never which one. */
export function eraseUserBy(
  needs: Erasing,
  user: Pick<User, 'appId' | 'externalUserId'>,
  by: By,
): Promise<Erased | { readonly refused: 'user_not_found' | 'incident_open' | 'all_clear_pending' }> {
  const { appId, externalUserId } = user
  const audit = rowBy(by, { action: 'user.change', appId, details: { change: 'erased' } })
  return eraseUser(needs, { appId, externalUserId, now: by.now, audit })
}
