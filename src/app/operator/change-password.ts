import { weaknessOf } from '../../core/operator/password.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { Passwords } from '../../ports/passwords.ts'
import { type By, rowBy } from './by.ts'
import type { OperatorCaller } from './callers.ts'
import type { NotPresent, PresenceCheck } from './presence.ts'

/** Changes the caller's own password, given the current one, and ends their other sessions. */
export const passwordChange =
  ({
    store,
    passwords,
    isPresent,
  }: {
    readonly store: Pick<OperatorStore, 'changePassword'>
    readonly passwords: Pick<Passwords, 'hash'>
    readonly isPresent: PresenceCheck
  }) =>
  async (
    caller: Pick<OperatorCaller, 'login' | 'session'>,
    { password, newPassword }: { readonly password: string; readonly newPassword: string },
    by: By,
  ): Promise<{ readonly changed: true } | NotPresent | { readonly refused: 'weak_password'; readonly why: string }> => {
    const present = await isPresent(caller, { password }, 'password.changed', by)
    if ('refused' in present) return present
    const { operator, sessionId, proof } = present
    const why = weaknessOf(newPassword, operator)
    if (why !== null) return { refused: 'weak_password', why }
    if (!('passwordHash' in proof)) throw new Error('a password was proved without its hash')
    const change = { from: proof.passwordHash, to: await passwords.hash(newPassword), keptSession: sessionId }
    const audit = rowBy(by, { action: 'password.changed', subject: operator.id })
    const changed = await store.changePassword(operator.id, change, audit)
    return 'refused' in changed ? { refused: 'wrong_password' } : changed
  }
