import { afterSuccess, afterTry, type Pace, waitMs } from '../../core/operator/pace.ts'
import { weaknessOf } from '../../core/operator/password.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { Passwords } from '../../ports/passwords.ts'
import { type By, rowBy } from './by.ts'
import type { OperatorCaller } from './callers.ts'

/** Wrong tries that cost nothing. */
const FREE_TRIES = 5

type Parts = {
  readonly store: Pick<OperatorStore, 'operatorByLogin' | 'changePassword' | 'note'>
  readonly passwords: Passwords
  /** Milliseconds that only grow. */
  readonly monotonicMs: () => number
  readonly log: Log
}

type Refused =
  | { readonly refused: 'not_for_tokens' | 'wrong_password' }
  | { readonly refused: 'weak_password'; readonly why: string }
  | { readonly refused: 'too_many_attempts'; readonly retryAfterMs: number }

/**
 * Changes the caller's own password, and ends their other sessions. The present one is asked for, so that a screen left
 * open does not give the account away; guessing it is slowed.
 */
export function passwordChange({ store, passwords, monotonicMs, log }: Parts) {
  /** By operator: no stranger can add to them. */
  const paces = new Map<string, Pace>()
  return async (
    { login, session }: Pick<OperatorCaller, 'login' | 'session'>,
    given: { readonly password: string; readonly newPassword: string },
    by: By,
  ): Promise<{ readonly changed: true } | Refused> => {
    const operator = login === null ? null : await store.operatorByLogin(login)
    if (operator === null || session === null) return { refused: 'not_for_tokens' }
    const retryAfterMs = waitMs(paces.get(operator.id), FREE_TRIES, monotonicMs())
    if (retryAfterMs > 0) return { refused: 'too_many_attempts', retryAfterMs }
    paces.set(operator.id, afterTry(paces.get(operator.id), monotonicMs()))
    const { passwordHash } = operator
    if (!(await passwords.matches(given.password, passwordHash)) || passwordHash === null) {
      // Somebody may guess in a browser that was left open.
      const details = { why: 'wrong_password', for: 'password.changed' }
      const row = rowBy(by, { action: 'session.refused', subject: operator.id, details })
      void store.note(row).catch((error) => log.error({ err: error }, 'a wrong password could not be noted'))
      return { refused: 'wrong_password' }
    }
    const pace = paces.get(operator.id)
    if (pace !== undefined) paces.set(operator.id, afterSuccess(pace))
    const why = weaknessOf(given.newPassword, operator)
    if (why !== null) return { refused: 'weak_password', why }
    const change = { from: passwordHash, to: await passwords.hash(given.newPassword), keptSession: session.id }
    const changed = await store.changePassword(
      operator.id,
      change,
      rowBy(by, { action: 'password.changed', subject: operator.id }),
    )
    return 'refused' in changed ? { refused: 'wrong_password' } : changed
  }
}
