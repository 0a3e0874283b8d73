import type { Decided, Refused } from '../decided.ts'
import {
  afterSignIn,
  type Operator,
  type OperatorCredentials,
  type SecondFactor,
  withNetwork,
  withoutCredentials,
} from './operator.ts'
import { afterUse, bindingOf, type NewPasskey, type Passkey, type PasskeyProof } from './passkey.ts'
import type { Grant } from './role.ts'
import { type ApiToken, hasEnded, type NewSession, type OperatorSession } from './session.ts'
import { isStepUsed } from './totp.ts'

/** An operator as stored. */
export type OperatorAccount = Operator & OperatorCredentials

/** `account`: null for an unknown operator. `sessions`: the operator's, most recently used first. */
export type OperatorSituation = {
  readonly account: OperatorAccount | null
  readonly sessions: readonly OperatorSession[]
  /** In the order in which they were added. */
  readonly passkeys: readonly Passkey[]
}

export type OperatorChanges = {
  readonly update?: OperatorAccount
  /** The operator whose invitation is deleted. */
  readonly uninvite?: string
  /** Sessions to end. */
  readonly end?: readonly string[]
  readonly open?: NewSession
  readonly prove?: Pick<OperatorSession, 'id' | 'provedAt'>
  readonly addPasskey?: Passkey
  readonly updatePasskey?: Passkey
  /** Passkeys to remove. */
  readonly forget?: readonly string[]
}

/** Whether sessions begin or end: who is signed in may be others from now on. */
export const changesDesk = ({ open, end = [] }: OperatorChanges): boolean => open !== undefined || end.length > 0

/** The account of somebody who has never signed in. */
export const newAccount = (operator: Operator): OperatorAccount => ({
  ...operator,
  ...{ passwordHash: null, totpSecret: null, totpStep: 0, recoveryHashes: [], knownNetworks: [] },
})

/**
 * Updates an operator; disabling one ends all sessions and the invitation. `admins`: the operators who can sign in and
 * manage operators. `keepAdmin`: refuse to lose the last of them. access.md#operators.
 */
export function decideUpdateOperator(
  { account, sessions, admins }: OperatorSituation & { readonly admins: readonly string[] },
  update: Partial<Grant & Pick<Operator, 'name' | 'disabled'>>,
  { keepAdmin, now }: { readonly keepAdmin: boolean; readonly now: number },
): Decided<OperatorChanges, Operator, 'operator_not_found' | 'last_admin'> {
  if (account === null) return { refused: 'operator_not_found' }
  const after: OperatorAccount = { ...account, ...update, updatedAt: now }
  const isLast = admins.length === 1 && admins[0] === account.id
  const staysAdmin = after.role === 'admin' && after.applications === null && !after.disabled
  if (keepAdmin && isLast && !staysAdmin) return { refused: 'last_admin' }
  const result = withoutCredentials(after)
  return after.disabled
    ? { update: after, uninvite: account.id, end: idsOf(sessions), result }
    : { update: after, result }
}

/**
 * Accepts an invitation, which uses up the link, ends all earlier sessions and removes all passkeys: the link is the
 * way back in after a theft. `invited`: the operator it is for, or null.
 */
export function decideAcceptInvitation(
  { account, sessions, passkeys, invited }: OperatorSituation & { readonly invited: string | null },
  { passwordHash, totpSecret, totpStep, recoveryHashes, knownNetworks }: OperatorCredentials,
  session: NewSession,
): Decided<OperatorChanges, { readonly accepted: true }, 'invitation_not_found'> {
  if (account === null || account.disabled || invited === null) return { refused: 'invitation_not_found' }
  if (invited !== account.id) throw new Error('an invitation is for another operator')
  const credentials = { passwordHash, totpSecret, totpStep, recoveryHashes, knownNetworks }
  return {
    update: { ...account, ...credentials, signedInAt: session.createdAt },
    uninvite: account.id,
    end: idsOf(sessions),
    forget: idsOf(passkeys),
    open: session,
    result: { accepted: true },
  }
}

/** Opens a session. It ends expired sessions, and the least recently used ones beyond `max`. */
export function decideOpenSession(
  { account, sessions, passkeys }: OperatorSituation,
  session: NewSession,
  proof: SignInProof,
  max: number,
): Decided<OperatorChanges, { readonly opened: true }, 'credentials_changed' | 'code_used'> {
  if (account === null || account.disabled) return CHANGED
  const now = session.createdAt
  const used = 'passkeyId' in proof ? usedPasskey(account, passkeys, proof, now) : null
  if (used !== null && 'refused' in used) return used
  if ('passwordHash' in proof && account.passwordHash !== proof.passwordHash) return CHANGED
  const after =
    'second' in proof ? afterSignIn(account, proof.second, proof.network) : withNetwork(account, proof.network)
  if (after === null) return { refused: 'code_used' }
  const end = idsOf(sessions.filter((one, place) => place >= max - 1 || hasEnded(one, now)))
  return { update: { ...account, ...after, signedInAt: now }, ...used, end, open: session, result: { opened: true } }
}

function usedPasskey(account: OperatorAccount, passkeys: readonly Passkey[], proof: PasskeyProof, now: number) {
  const used = afterUse(passkeys.find(({ id }) => id === proof.passkeyId) ?? null, account, proof, now)
  return 'refused' in used ? used : { updatePasskey: used }
}

/** The credentials that the sign-in page has verified: password and code, or a passkey. */
export type SignInProof = { readonly network: string } & (
  | { readonly passwordHash: string; readonly second: SecondFactor }
  | PasskeyProof
)

/** Replaces the password. `from`: the hash that was read. All sessions but `keptSession` end. */
export function decideChangePassword(
  { account, sessions }: OperatorSituation,
  { from, to, keptSession }: { readonly from: string; readonly to: string; readonly keptSession: string },
): Decided<OperatorChanges, { readonly changed: true }, 'credentials_changed'> {
  if (account === null || account.disabled || account.passwordHash !== from) return CHANGED
  const end = idsOf(sessions).filter((id) => id !== keptSession)
  return { update: { ...account, passwordHash: to }, end, result: { changed: true } }
}

/** The proof of who is at the screen of a session. */
export type SessionProof = { readonly passwordHash: string } | { readonly totpStep: number } | PasskeyProof

/** Records a proof in a session. Each code and each challenge can be used for one proof only. */
export function decideProveSession(
  { account, sessions, passkeys }: OperatorSituation,
  sessionId: string,
  proof: SessionProof,
  now: number,
): Decided<OperatorChanges, { readonly proved: true }, 'credentials_changed' | 'code_used' | 'session_not_found'> {
  if (account === null || account.disabled) return CHANGED
  if ('passwordHash' in proof && proof.passwordHash !== account.passwordHash) return CHANGED
  if ('totpStep' in proof && isStepUsed(proof.totpStep, account.totpStep)) return { refused: 'code_used' }
  if (!idsOf(sessions).includes(sessionId)) return { refused: 'session_not_found' }
  const passkey = 'passkeyId' in proof ? usedPasskey(account, passkeys, proof, now) : null
  if (passkey !== null && 'refused' in passkey) return passkey
  const used = 'totpStep' in proof && { update: { ...account, totpStep: proof.totpStep } }
  return { ...used, ...passkey, prove: { id: sessionId, provedAt: now }, result: { proved: true } }
}

/** Adds a passkey. `isTaken`: there is one with its id, of anybody. */
export function decideAddPasskey(
  { account, passkeys, isTaken }: OperatorSituation & { readonly isTaken: boolean },
  passkey: NewPasskey,
  limit: number,
): Decided<OperatorChanges, { readonly added: true }, 'operator_not_found' | 'passkey_taken' | 'passkey_limit'> {
  const boundTo = account === null || account.disabled ? null : bindingOf(account)
  if (boundTo === null) return { refused: 'operator_not_found' }
  if (isTaken) return { refused: 'passkey_taken' }
  if (passkeys.length >= limit) return { refused: 'passkey_limit' }
  return { addPasskey: { ...passkey, boundTo, usedAt: null }, result: { added: true } }
}

/** Removes one passkey. Password and code remain, so it is never the last way in. */
export function decideRemovePasskey(
  { passkeys }: Pick<OperatorSituation, 'passkeys'>,
  passkeyId: string,
): Decided<OperatorChanges, { readonly removed: Passkey }, 'passkey_not_found'> {
  const removed = passkeys.find(({ id }) => id === passkeyId)
  return removed === undefined ? { refused: 'passkey_not_found' } : { forget: [removed.id], result: { removed } }
}

/** Renames one passkey. */
export function decideRenamePasskey(
  { passkeys }: Pick<OperatorSituation, 'passkeys'>,
  passkeyId: string,
  name: string,
): Decided<OperatorChanges, { readonly renamed: true }, 'passkey_not_found'> {
  const passkey = passkeys.find(({ id }) => id === passkeyId)
  if (passkey === undefined) return { refused: 'passkey_not_found' }
  return { updatePasskey: { ...passkey, name }, result: { renamed: true } }
}

/** Removes all passkeys of an operator, and ends all sessions: a stolen one may have been used. */
export function decideResetPasskeys({
  account,
  sessions,
  passkeys,
}: OperatorSituation): Decided<OperatorChanges, { readonly removed: number }, 'operator_not_found'> {
  if (account === null) return { refused: 'operator_not_found' }
  return { forget: idsOf(passkeys), end: idsOf(sessions), result: { removed: passkeys.length } }
}

/** Replaces all recovery codes, used and unused ones. */
export function decideReplaceRecoveryCodes(
  { account }: Pick<OperatorSituation, 'account'>,
  recoveryHashes: readonly string[],
): Decided<OperatorChanges, { readonly replaced: true }, 'operator_not_found'> {
  if (account === null) return { refused: 'operator_not_found' }
  return { update: { ...account, recoveryHashes }, result: { replaced: true } }
}

/** Adds an API token. `tokens`: how many there are already. */
export const decideAddToken = <T extends ApiToken>(
  tokens: number,
  insert: T,
  limit: number,
): Refused<'token_limit'> | { readonly insert: T } => (tokens >= limit ? { refused: 'token_limit' } : { insert })

/**
 * Adds a note. `notes`: how many the incident has; null if there is no such incident. `isKnown`: it has this one, whose
 * answer was lost on the way.
 */
export function decideAddNote(
  { notes, isKnown }: { readonly notes: number | null; readonly isKnown: boolean },
  limit: number,
): Refused<'incident_not_found' | 'note_limit'> | { readonly isNew: boolean } {
  if (notes === null) return { refused: 'incident_not_found' }
  if (isKnown) return { isNew: false }
  return notes >= limit ? { refused: 'note_limit' } : { isNew: true }
}

const CHANGED = { refused: 'credentials_changed' } as const

const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id)
