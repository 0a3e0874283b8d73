import { RECOVERY_CODES, recoveryCodeFrom, recoveryHash } from '../../core/operator/secret.ts'
import type { Ids } from '../../ports/ids.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import { type By, rowBy } from './by.ts'
import type { OperatorCaller } from './callers.ts'
import type { NotPresent, PresenceCheck, PresenceGiven } from './presence.ts'

type Own = Pick<OperatorCaller, 'login' | 'session'>
type NotForTokens = { readonly refused: 'not_for_tokens' }

/** An operator's own account, apart from the password. */
export const operatorAccount = ({
  store,
  ids,
  isPresent,
}: {
  readonly store: Pick<OperatorStore, 'operatorByLogin' | 'proveSession' | 'replaceRecoveryCodes'>
  readonly ids: Pick<Ids, 'secret'>
  readonly isPresent: PresenceCheck
}) => ({
  /** Asks the caller for the password, a code or a passkey again, and records the proof in the session. */
  async prove(caller: Own, given: PresenceGiven, by: By): Promise<{ readonly proved: true } | NotPresent> {
    const present = await isPresent(caller, given, 'session.proved', by)
    if ('refused' in present) return present
    const { operator, sessionId, proof } = present
    const how = 'totpStep' in proof ? 'code' : 'passkeyId' in proof ? 'passkey' : 'password'
    const details = { with: how }
    const audit = rowBy(by, { action: 'session.proved', subject: sessionId, details })
    const proved = await store.proveSession({ id: sessionId, operatorId: operator.id }, proof, audit)
    if (!('refused' in proved)) return proved
    if (how === 'passkey') return { refused: 'wrong_passkey' }
    return { refused: proved.refused === 'code_used' ? 'wrong_code' : 'wrong_password' }
  },

  async recoveryCodesLeft({ login }: Own): Promise<{ readonly left: number } | NotForTokens> {
    const operator = login === null ? null : await store.operatorByLogin(login)
    return operator === null ? { refused: 'not_for_tokens' } : { left: operator.recoveryHashes.length }
  },

  /** New recovery codes, shown only once; the previous ones are no longer valid. */
  async renewRecoveryCodes({ session }: Own, by: By): Promise<{ readonly codes: readonly string[] } | NotForTokens> {
    if (session === null) return { refused: 'not_for_tokens' }
    const { operatorId } = session
    const codes = Array.from({ length: RECOVERY_CODES }, () => recoveryCodeFrom(ids.secret()))
    const audit = rowBy(by, { action: 'recovery_codes.renewed', subject: operatorId })
    const replaced = await store.replaceRecoveryCodes(operatorId, codes.map(recoveryHash), audit)
    return 'refused' in replaced ? { refused: 'not_for_tokens' } : { codes }
  },
})
