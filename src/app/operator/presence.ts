import type { SessionProof } from '../../core/operator/decide-operator.ts'
import { type Operator, type OperatorCredentials, secondFactorOf } from '../../core/operator/operator.ts'
import type { PasskeySignature } from '../../core/operator/operator-schema.ts'
import { Paces } from '../../core/operator/paces.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { Passwords } from '../../ports/passwords.ts'
import { type By, rowBy } from './by.ts'
import type { OperatorCaller } from './callers.ts'
import type { PasskeySigned } from './passkey-signed.ts'

/** Wrong tries without a wait. */
const FREE_TRIES = 5
const MAX_OPERATORS = 10_000

type Known = Operator & OperatorCredentials

/** The credentials that a signed-in operator repeats. `code`: from the authenticator app. */
export type PresenceGiven =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly passkey: PasskeySignature }

export type NotPresent =
  | { readonly refused: 'not_for_tokens' | 'wrong_password' | 'wrong_code' | 'wrong_passkey' }
  | { readonly refused: 'too_many_attempts'; readonly retryAfterMs: number }

/**
 * Checks that the signed-in operator is still at the screen: a screen left open must not give lasting access. Guessing
 * is slowed down, and each failed attempt leaves an audit row. `action`: the reason for asking.
 */
export function presenceCheck({
  store,
  passwords,
  monotonicMs,
  passkeySigned,
  log,
}: {
  readonly store: Pick<OperatorStore, 'operatorByLogin' | 'addAuditRow'>
  readonly passwords: Pick<Passwords, 'matches'>
  /** Milliseconds that only grow. */
  readonly monotonicMs: () => number
  readonly passkeySigned: (given: PasskeySignature) => Promise<PasskeySigned | null>
  readonly log: Log
}) {
  /** Per operator, so that no stranger can slow one down. */
  const paces = new Paces(FREE_TRIES, MAX_OPERATORS)

  const proofOf = async (operator: Known, given: PresenceGiven, now: number): Promise<SessionProof | null> => {
    if ('code' in given) {
      const second = secondFactorOf(operator, given.code, now)
      // A recovery code replaces a lost phone; here the password is enough.
      return second !== null && 'totpStep' in second ? second : null
    }
    if ('passkey' in given) {
      const signed = await passkeySigned(given.passkey)
      return signed?.operator.id === operator.id ? signed.proof : null
    }
    const { passwordHash } = operator
    return (await passwords.matches(given.password, passwordHash)) && passwordHash !== null ? { passwordHash } : null
  }

  return async (
    { login, session }: Pick<OperatorCaller, 'login' | 'session'>,
    given: PresenceGiven,
    action: 'password.changed' | 'session.proved',
    by: By,
  ): Promise<{ readonly operator: Known; readonly sessionId: string; readonly proof: SessionProof } | NotPresent> => {
    const operator = login === null ? null : await store.operatorByLogin(login)
    if (operator === null || session === null) return { refused: 'not_for_tokens' }
    const retryAfterMs = paces.waitMs(operator.id, monotonicMs())
    if (retryAfterMs > 0) return { refused: 'too_many_attempts', retryAfterMs }
    paces.tried(operator.id, monotonicMs())
    const proof = await proofOf(operator, given, by.now)
    if (proof === null) {
      const refused = 'code' in given ? 'wrong_code' : 'passkey' in given ? 'wrong_passkey' : 'wrong_password'
      const row = rowBy(by, { action: 'session.refused', subject: operator.id, details: { why: refused, for: action } })
      void store
        .addAuditRow(row)
        .catch((error) => log.error({ err: error }, 'a wrong password or code could not be noted'))
      return { refused }
    }
    paces.succeeded(operator.id)
    return { operator, sessionId: session.id, proof }
  }
}

export type PresenceCheck = ReturnType<typeof presenceCheck>
