import {
  type Operator,
  type OperatorCredentials,
  secondFactorOf,
  withoutCredentials,
} from '../../core/operator/operator.ts'
import { loginField } from '../../core/operator/operator-schema.ts'
import { secretHash } from '../../core/operator/secret.ts'
import type { OperatorSession } from '../../core/operator/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { Passwords } from '../../ports/passwords.ts'
import { openingSession, refusingSignIns, type SignInRefused, type Visitor } from './opened-session.ts'
import { SignInPaces } from './sign-in-paces.ts'

/** Passwords that may wait to be hashed, one at a time. Unknown networks may fill only the first part. */
const MAX_WAITING = 40
const MAX_WAITING_UNKNOWN = 20
const BUSY_MS = 5_000

type SignInNeeds = {
  readonly store: Pick<OperatorStore, 'operatorByLogin' | 'openSession' | 'addAuditRow'>
  readonly passwords: Passwords
  readonly clock: Pick<Clock, 'now'>
  /** Monotonic milliseconds: waits must not depend on the machine's date. */
  readonly monotonicMs: () => number
  /** The network that an address belongs to. */
  readonly networkOf: (address: string) => string
  readonly ids: Ids
  readonly log: Log
  /** Shared with sign-ins with a passkey: attempts from one network count together. */
  readonly paces?: SignInPaces
}

/** `secret`: the value of the cookie, which is stored nowhere. */
type SignedIn = {
  readonly secret: string
  readonly session: OperatorSession
  readonly operator: Operator
  readonly recoveryCodesLeft: number
}

/**
 * Signs an operator in with login, password and a code of the authenticator app or a recovery code. Unknown login,
 * wrong password, wrong or used code and a disabled operator look the same after the same work. Guessing is slowed
 * (`SignInPaces`), and nobody is ever locked out. Rejects only with a StoreError.
 */
export function signingIn({
  store,
  passwords,
  clock,
  monotonicMs,
  networkOf,
  ids,
  log,
  paces = new SignInPaces(),
}: SignInNeeds) {
  const refuse = refusingSignIns({ store, clock, log })
  const open = openingSession({ store, ids })
  let waiting = 0

  const check = async (operator: OperatorCredentials | null, password: string): Promise<boolean> => {
    waiting += 1
    try {
      return await passwords.matches(password, operator?.passwordHash ?? null)
    } finally {
      waiting -= 1
    }
  }

  return async (
    given: { readonly login: string; readonly password: string; readonly code: string },
    visitor: Visitor,
  ): Promise<SignedIn | SignInRefused> => {
    const login = given.login.trim().toLowerCase()
    // Impossible logins never reach the store: PostgreSQL rejects a NUL.
    const operator = loginField.safeParse(login).success ? await store.operatorByLogin(login) : null
    const network = networkOf(visitor.address)
    const isKnown = operator?.knownNetworks.includes(network) ?? false
    if (waiting >= (isKnown ? MAX_WAITING : MAX_WAITING_UNKNOWN)) {
      return { refused: 'too_many_attempts', retryAfterMs: BUSY_MS }
    }
    const begun = paces.begin({ loginHash: secretHash(login), network, isKnown }, monotonicMs())
    if ('waitMs' in begun) return { refused: 'too_many_attempts', retryAfterMs: begun.waitMs }

    const isRight = await check(operator?.disabled === true ? null : operator, given.password)
    if (operator === null) return refuse(null, 'unknown_login', visitor)
    const { passwordHash } = operator
    if (operator.disabled) return refuse(operator, 'disabled', visitor)
    if (passwordHash === null) return refuse(operator, 'invitation_not_used', visitor)
    if (!isRight) return refuse(operator, 'wrong_password', visitor)
    const now = clock.now()
    const second = secondFactorOf(operator, given.code, now)
    if (second === null) return refuse(operator, 'wrong_code', visitor)

    const isRecovery = 'recoveryHash' in second
    const how = isRecovery ? 'recovery_code' : 'code'
    const opened = await open(operator, { passwordHash, second, network }, { visitor, how, now })
    if ('refused' in opened) return refuse(operator, opened.refused, visitor)
    begun.succeeded()
    const recoveryCodesLeft = operator.recoveryHashes.length - (isRecovery ? 1 : 0)
    return { ...opened, operator: withoutCredentials(operator), recoveryCodesLeft }
  }
}
