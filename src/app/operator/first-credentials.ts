import type { OperatorCredentials } from '../../core/operator/operator.ts'
import { weaknessOf } from '../../core/operator/password.ts'
import { RECOVERY_CODES, recoveryCodeFrom, recoveryHash, secretHash } from '../../core/operator/secret.ts'
import { type NewSession, newSession, type OperatorSession } from '../../core/operator/session.ts'
import { matchingStep } from '../../core/operator/totp.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Passwords } from '../../ports/passwords.ts'
import type { Visitor } from './opened-session.ts'

export type CredentialNeeds = {
  readonly passwords: Passwords
  readonly ids: Ids
  /** The network that an address belongs to. */
  readonly networkOf: (address: string) => string
}

/** An operator's choices at the first sign-in. `totpSecret`: in hexadecimal, proved by `code`. */
type Chosen = { readonly password: string; readonly totpSecret: string; readonly code: string }

/** `wrong_code` includes the server's time (epoch ms): if one of the two clocks is wrong, so are the phone's codes. */
export type NotChosen =
  | { readonly refused: 'weak_password'; readonly why: string }
  | { readonly refused: 'wrong_code'; readonly now: number }

type First = {
  readonly credentials: OperatorCredentials
  /** The value of the cookie. */
  readonly secret: string
  readonly session: OperatorSession
  /** The same session, as it is stored. */
  readonly kept: NewSession
  /** To write down. Shown only once. */
  readonly recoveryCodes: readonly string[]
}

/** The credentials of a first sign-in, and the session that it opens. Stores nothing. */
export async function firstCredentials(
  { passwords, ids, networkOf }: CredentialNeeds,
  { id, login, name }: { readonly id: string; readonly login: string; readonly name: string },
  { password, totpSecret, code }: Chosen,
  { visitor, now }: { readonly visitor: Visitor; readonly now: number },
): Promise<First | NotChosen> {
  const why = weaknessOf(password, { login, name })
  if (why !== null) return { refused: 'weak_password', why }
  const totpStep = matchingStep(Buffer.from(totpSecret, 'hex'), code, { now, lastStep: 0 })
  if (totpStep === null) return { refused: 'wrong_code', now }

  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, () => recoveryCodeFrom(ids.secret()))
  const passwordHash = await passwords.hash(password)
  const known = { recoveryHashes: recoveryCodes.map(recoveryHash), knownNetworks: [networkOf(visitor.address)] }
  const credentials = { passwordHash, totpSecret, totpStep, ...known }
  const secret = ids.secret()
  const session = newSession({ id: ids.uuid(), operatorId: id, now, ...visitor })
  return { credentials, secret, session, kept: { ...session, hash: secretHash(secret) }, recoveryCodes }
}
