import type { Decided, Refused } from '../decided.ts'
import {
  afterSignIn,
  type Operator,
  type OperatorCredentials,
  type SecondFactor,
  withoutCredentials,
} from './operator.ts'
import type { Grant } from './role.ts'
import { type ApiToken, hasEnded, type NewSession, type OperatorSession } from './session.ts'
import { isStepUsed } from './totp.ts'

/** An operator as stored. */
export type OperatorAccount = Operator & OperatorCredentials

/** `account`: null for an unknown operator. `sessions`: the operator's, most recently used first. */
export type OperatorSituation = {
  readonly account: OperatorAccount | null
  readonly sessions: readonly OperatorSession[]
}

export type OperatorChanges = {
  readonly update?: OperatorAccount
  /** The operator whose invitation is deleted. */
  readonly uninvite?: string
  /** Sessions to end. */
  readonly end?: readonly string[]
  readonly open?: NewSession
  readonly prove?: Pick<OperatorSession, 'id' | 'provedAt'>
}

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
 * Accepts an invitation, which uses up the link and ends all earlier sessions. `invited`: the operator it is for, or
 * null.
 */
export function decideAcceptInvitation(
  { account, sessions, invited }: OperatorSituation & { readonly invited: string | null },
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
    open: session,
    result: { accepted: true },
  }
}

/** Opens a session. It ends expired sessions, and the least recently used ones beyond `max`. */
export function decideOpenSession(
  { account, sessions }: OperatorSituation,
  session: NewSession,
  { passwordHash, second, network }: SignInProof,
  max: number,
): Decided<OperatorChanges, { readonly opened: true }, 'credentials_changed' | 'code_used'> {
  if (account === null || account.disabled || account.passwordHash !== passwordHash) return CHANGED
  const after = afterSignIn(account, second, network)
  if (after === null) return { refused: 'code_used' }
  const now = session.createdAt
  const end = idsOf(sessions.filter((one, place) => place >= max - 1 || hasEnded(one, now)))
  return { update: { ...account, ...after, signedInAt: now }, end, open: session, result: { opened: true } }
}

/** The credentials that the sign-in page has verified. */
export type SignInProof = {
  readonly passwordHash: string
  readonly second: SecondFactor
  readonly network: string
}

/** Replaces the password. `from`: the hash that was read. All sessions but `keptSession` end. */
export function decideChangePassword(
  { account, sessions }: OperatorSituation,
  { from, to, keptSession }: { readonly from: string; readonly to: string; readonly keptSession: string },
): Decided<OperatorChanges, { readonly changed: true }, 'credentials_changed'> {
  if (account === null || account.disabled || account.passwordHash !== from) return CHANGED
  const end = idsOf(sessions).filter((id) => id !== keptSession)
  return { update: { ...account, passwordHash: to }, end, result: { changed: true } }
}

/** Records a proof in a session. Each code can be used for one proof only. */
export function decideProveSession(
  { account, sessions }: OperatorSituation,
  sessionId: string,
  proof: { readonly passwordHash: string } | { readonly totpStep: number },
  now: number,
): Decided<OperatorChanges, { readonly proved: true }, 'credentials_changed' | 'code_used' | 'session_not_found'> {
  if (account === null || account.disabled) return CHANGED
  if ('passwordHash' in proof && proof.passwordHash !== account.passwordHash) return CHANGED
  if ('totpStep' in proof && isStepUsed(proof.totpStep, account.totpStep)) return { refused: 'code_used' }
  if (!idsOf(sessions).includes(sessionId)) return { refused: 'session_not_found' }
  const used = 'totpStep' in proof && { update: { ...account, totpStep: proof.totpStep } }
  return { ...used, prove: { id: sessionId, provedAt: now }, result: { proved: true } }
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

/** Adds a note. `notes`: how many the incident has; null if there is no such incident. */
export function decideAddNote(
  notes: number | null,
  limit: number,
): Refused<'incident_not_found' | 'note_limit'> | { readonly added: true } {
  if (notes === null) return { refused: 'incident_not_found' }
  return notes >= limit ? { refused: 'note_limit' } : { added: true }
}

const CHANGED = { refused: 'credentials_changed' } as const

const idsOf = (sessions: readonly OperatorSession[]): readonly string[] => sessions.map(({ id }) => id)
