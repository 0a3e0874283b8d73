import type { AuditEntry } from '../../../src/core/operator/audit.ts'
import { afterSignIn, type Operator, type OperatorCredentials } from '../../../src/core/operator/operator.ts'
import type { NewSession } from '../../../src/core/operator/session.ts'
import { stepAt, totpCode } from '../../../src/core/operator/totp.ts'
import type { OperatorStore } from '../../../src/ports/operator-store.ts'
import type { Passwords } from '../../../src/ports/passwords.ts'

export const NOW = Date.UTC(2026, 0, 1, 3)
export const TOTP_SECRET = '3132333435363738393031323334353637383930'
export const PASSWORD = 'correct horse battery'

/** The code that the authenticator app shows at `now`. */
export const codeAt = (now: number): string => totpCode(Buffer.from(TOTP_SECRET, 'hex'), stepAt(now))

export const operatorCalled = (login: string, given: Partial<Operator> = {}): Operator => ({
  id: `id of ${login}`,
  login,
  name: login.toUpperCase(),
  role: 'operator',
  applications: null,
  disabled: false,
  createdAt: 0,
  updatedAt: 0,
  signedInAt: null,
  ...given,
})

/** Passwords that are hashed by writing `hash of` in front of them, when the test lets them. */
export function plainPasswords(): Passwords & { readonly checked: (string | null)[]; hold(): () => void } {
  const checked: (string | null)[] = []
  let gate: Promise<void> = Promise.resolve()
  return {
    checked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    hash: async (password) => `hash of ${password}`,
    async matches(password, hash) {
      checked.push(hash)
      await gate
      return hash === `hash of ${password}`
    },
  }
}

/** Ids and secrets that count. */
export function countedIds() {
  let count = 0
  const next = (): number => {
    count += 1
    return count
  }
  return {
    uuid: () => `id ${next()}`,
    secret: () => Buffer.alloc(32, next()).toString('base64url'),
    jitter: () => 0.5,
  }
}

type Account = { operator: Operator; credentials: OperatorCredentials }

/** A store in memory with what a sign-in needs of it. */
export function accountsIn(accounts: readonly Account[]) {
  const byLogin = new Map(accounts.map((account) => [account.operator.login, account]))
  const sessions: NewSession[] = []
  const audit: AuditEntry[] = []
  const store: Pick<OperatorStore, 'operatorByLogin' | 'openSession' | 'addAuditRow'> = {
    async operatorByLogin(login) {
      const account = byLogin.get(login)
      return account === undefined ? null : { ...account.operator, ...account.credentials }
    },
    async openSession(session, proof, _max, entry) {
      if (!('second' in proof)) throw new Error('no passkeys here')
      const { passwordHash, second, network } = proof
      const account = accounts.find(({ operator }) => operator.id === session.operatorId)!
      if (account.credentials.passwordHash !== passwordHash) return { refused: 'credentials_changed' }
      const after = afterSignIn(account.credentials, second, network)
      if (after === null) return { refused: 'code_used' }
      account.credentials = after
      sessions.push(session)
      audit.push(entry)
      return { opened: true }
    },
    async addAuditRow(entry) {
      audit.push(entry)
    },
  }
  return { store, sessions, audit }
}
