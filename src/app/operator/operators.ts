import type { Operator } from '../../core/operator/operator.ts'
import type { Grant } from '../../core/operator/role.ts'
import { secretHash, totpSecretFrom } from '../../core/operator/secret.ts'
import { INVITATION_MS } from '../../core/operator/session.ts'
import type { Ids } from '../../ports/ids.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { PasskeyStore } from '../../ports/passkey-store.ts'
import { type By, rowBy } from './by.ts'

/** The link for the first sign-in, and its expiry. The secret is shown once and stored nowhere. */
export type Invited = { readonly secret: string; readonly expiresAt: number }

type OperatorNeeds = { readonly store: OperatorStore; readonly ids: Ids }
type Given = Grant & Pick<Operator, 'login' | 'name'>

/** Adds an operator, with a link for the first sign-in. */
export async function addOperator(
  { store, ids }: OperatorNeeds,
  { login, name, role, applications }: Given,
  by: By,
): Promise<{ readonly operator: Operator; readonly invited: Invited } | { readonly refused: 'login_taken' }> {
  const { now } = by
  const times = { createdAt: now, updatedAt: now, signedInAt: null }
  const operator: Operator = { id: ids.uuid(), login, name, role, applications, disabled: false, ...times }
  const details = { change: 'added', role, applications }
  const audit = rowBy(by, { action: 'operator.manage', subject: operator.id, details })
  const added = await store.addOperator(operator, audit)
  if ('refused' in added) return added
  const invited = await inviteOperator({ store, ids }, operator.id, by)
  if ('refused' in invited) throw new Error('an operator who was just added is missing')
  return { operator, invited }
}

/**
 * Makes a new link for an operator who has not used theirs, or has lost their password or phone. The existing password
 * and app keep working until the link is used.
 */
export async function inviteOperator(
  { store, ids }: OperatorNeeds,
  operatorId: string,
  by: By,
): Promise<Invited | { readonly refused: 'operator_not_found' }> {
  const secret = ids.secret()
  const { now } = by
  const expiresAt = now + INVITATION_MS
  const made = { hash: secretHash(secret), totpSecret: totpSecretFrom(ids.secret()), createdAt: now, expiresAt }
  const details = { change: 'invited' }
  const audit = rowBy(by, { action: 'operator.manage', subject: operatorId, details })
  const invited = await store.invite({ operatorId, ...made }, audit)
  return 'refused' in invited ? invited : { secret, expiresAt }
}

/**
 * Disables or enables an operator. `keepAdmin`: refuse to disable the last one who manages operators; the command line
 * may, because it can add another.
 */
export async function setOperatorDisabled(
  { store }: Pick<OperatorNeeds, 'store'>,
  { operatorId, disabled, keepAdmin }: { operatorId: string; disabled: boolean; keepAdmin: boolean },
  by: By,
): Promise<Operator | { readonly refused: 'operator_not_found' | 'last_admin' }> {
  const details = { change: disabled ? 'disabled' : 'enabled' }
  const audit = rowBy(by, { action: 'operator.manage', subject: operatorId, details })
  return store.updateOperator(operatorId, { disabled }, { keepAdmin }, audit)
}

/** Removes all passkeys of an operator, whose device was lost or who did not add them, and ends all their sessions. */
export async function resetPasskeys(
  { store }: { readonly store: Pick<PasskeyStore, 'resetPasskeys'> },
  operatorId: string,
  by: By,
): Promise<{ readonly removed: number } | { readonly refused: 'operator_not_found' }> {
  const details = { change: 'passkeys_reset' }
  return store.resetPasskeys(operatorId, rowBy(by, { action: 'operator.manage', subject: operatorId, details }))
}
