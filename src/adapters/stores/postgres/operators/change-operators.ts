import {
  afterSignIn,
  type Operator,
  type OperatorCredentials,
  withoutCredentials,
} from '../../../../core/operator/operator.ts'
import { hasEnded, type OperatorSession } from '../../../../core/operator/session.ts'
import { isStepUsed } from '../../../../core/operator/totp.ts'
import type { NewSession, OperatorStore } from '../../../../ports/store.ts'
import { type Transaction, writesOf } from '../engine/write.ts'
import { CREDENTIALS, OPERATOR, recordAudit, SESSION } from './columns.ts'

const NO_OPERATOR = { refused: 'operator_not_found' } as const

const INSERT = `INSERT INTO operators
    (id, login, name, role, applications, disabled, created_at, updated_at, signed_in_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (login) DO NOTHING`
/** Changes of one operator take turns, on all nodes. */
const LOCK = `SELECT ${OPERATOR}, ${CREDENTIALS} FROM operators WHERE id = $1 FOR NO KEY UPDATE`
/** Locks every admin in one order: two cannot disable each other at the same time. */
const ADMINS = `SELECT id FROM operators
  WHERE role = 'admin' AND applications IS NULL AND NOT disabled AND password_hash IS NOT NULL
  ORDER BY id FOR NO KEY UPDATE`
const UPDATE = `UPDATE operators SET name = $2, role = $3, applications = $4, disabled = $5, updated_at = $6
  WHERE id = $1`
const INVITE = `INSERT INTO operator_invitations (operator_id, hash, totp_secret, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (operator_id) DO UPDATE SET hash = excluded.hash, totp_secret = excluded.totp_secret,
    created_at = excluded.created_at, expires_at = excluded.expires_at`
const USE_INVITATION = 'DELETE FROM operator_invitations WHERE hash = $1 RETURNING operator_id AS "operatorId"'
const SET_CREDENTIALS = `UPDATE operators SET password_hash = $2, totp_secret = $3, totp_step = $4, recovery_hashes = $5,
    known_networks = $6, signed_in_at = $7 WHERE id = $1`
const SIGNED_IN = `UPDATE operators SET signed_in_at = $2, totp_step = $3, recovery_hashes = $4, known_networks = $5
  WHERE id = $1`
const SET_PASSWORD = 'UPDATE operators SET password_hash = $2 WHERE id = $1'
const END_OTHERS = 'DELETE FROM operator_sessions WHERE operator_id = $1 AND id <> $2'
const END_SESSIONS = 'DELETE FROM operator_sessions WHERE operator_id = $1'
const INSERT_SESSION = `INSERT INTO operator_sessions
    (id, operator_id, hash, created_at, seen_at, expires_at, proved_at, address, browser)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
const PROVED = 'UPDATE operator_sessions SET proved_at = $1 WHERE id = $2 AND operator_id = $3'
const SESSIONS = `SELECT ${SESSION} FROM operator_sessions WHERE operator_id = $1 ORDER BY seen_at DESC, id DESC`
const INSERT_TOKEN = `INSERT INTO api_tokens
    (id, name, role, applications, hash, created_by, created_at, expires_at, used_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 WHERE (SELECT count(*) FROM api_tokens) < $10`

/** Columns 'recovery_hashes' and 'known_networks'. */
const listsOf = ({ recoveryHashes, knownNetworks }: OperatorCredentials): readonly string[] => [
  JSON.stringify(recoveryHashes),
  JSON.stringify(knownNetworks),
]

const inJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

async function locked(
  { connection }: Transaction,
  operatorId: string,
): Promise<(Operator & OperatorCredentials) | null> {
  const [operator] = await connection.rows<Operator & OperatorCredentials>(LOCK, [operatorId])
  return operator ?? null
}

const insertSession = ({ connection }: Transaction, session: NewSession): Promise<number> => {
  const { id, operatorId, hash, createdAt, seenAt, expiresAt, provedAt, address, browser } = session
  const times = [createdAt, seenAt, expiresAt, provedAt]
  return connection.run(INSERT_SESSION, [id, operatorId, hash, ...times, address, browser])
}

export const operatorWrites = writesOf<OperatorStore>()({
  addOperator: {
    async run(transaction, operator, audit) {
      const { id, login, name, role, applications, disabled, createdAt, updatedAt, signedInAt } = operator
      const scope = inJson(applications)
      const row = [id, login, name, role, scope, disabled, createdAt, updatedAt, signedInAt]
      if ((await transaction.connection.run(INSERT, row)) === 0) return { refused: 'login_taken' }
      await recordAudit(transaction, audit)
      return { added: true }
    },
  },

  updateOperator: {
    async run(transaction, operatorId, update, { keepAdmin }, audit) {
      const { connection } = transaction
      const admins = await connection.rows<{ id: string }>(ADMINS)
      const before = await locked(transaction, operatorId)
      if (before === null) return NO_OPERATOR
      const operator: Operator = { ...withoutCredentials(before), ...update, updatedAt: audit.at }
      const { name, role, applications, disabled, updatedAt } = operator
      const isLast = admins.length === 1 && admins[0]!.id === operatorId
      if (keepAdmin && isLast && (role !== 'admin' || applications !== null || disabled))
        return { refused: 'last_admin' }
      await connection.run(UPDATE, [operatorId, name, role, inJson(applications), disabled, updatedAt])
      if (disabled) {
        await connection.run(END_SESSIONS, [operatorId])
        await connection.run('DELETE FROM operator_invitations WHERE operator_id = $1', [operatorId])
      }
      await recordAudit(transaction, audit)
      return operator
    },
  },

  invite: {
    async run(transaction, { operatorId, hash, totpSecret, createdAt, expiresAt }, audit) {
      if ((await locked(transaction, operatorId)) === null) return NO_OPERATOR
      await transaction.connection.run(INVITE, [operatorId, hash, totpSecret, createdAt, expiresAt])
      await recordAudit(transaction, audit)
      return { invited: true }
    },
  },

  acceptInvitation: {
    async run(transaction, hash, given, session, audit) {
      const { connection } = transaction
      const { operatorId } = session
      // Before the invitation, in the order of every change to both.
      const operator = await locked(transaction, operatorId)
      if (operator === null || operator.disabled) return { refused: 'invitation_not_found' }
      const [used] = await connection.rows<{ operatorId: string }>(USE_INVITATION, [hash])
      if (used === undefined) return { refused: 'invitation_not_found' }
      if (used.operatorId !== operatorId) throw new Error('an invitation is for another operator')
      await connection.run(END_SESSIONS, [operatorId])
      const { passwordHash, totpSecret, totpStep } = given
      const credentials = [passwordHash, totpSecret, totpStep, ...listsOf(given)]
      await connection.run(SET_CREDENTIALS, [operatorId, ...credentials, session.createdAt])
      await insertSession(transaction, session)
      await recordAudit(transaction, audit)
      return { accepted: true }
    },
  },

  openSession: {
    async run(transaction, session, { passwordHash, second, network }, maxSessions, audit) {
      const { connection } = transaction
      const { operatorId, createdAt } = session
      const operator = await locked(transaction, operatorId)
      if (operator === null || operator.disabled || operator.passwordHash !== passwordHash) {
        return { refused: 'credentials_changed' }
      }
      const left = afterSignIn(operator, second, network)
      if (left === null) return { refused: 'code_used' }
      await connection.run(SIGNED_IN, [operatorId, createdAt, left.totpStep, ...listsOf(left)])
      const sessions = await connection.rows<OperatorSession>(SESSIONS, [operatorId])
      const spent = sessions.filter((one, place) => place >= maxSessions - 1 || hasEnded(one, createdAt))
      await connection.run('DELETE FROM operator_sessions WHERE id = ANY ($1)', [spent.map(({ id }) => id)])
      await insertSession(transaction, session)
      await recordAudit(transaction, audit)
      return { opened: true }
    },
  },

  changePassword: {
    async run(transaction, operatorId, { from, to, keptSession }, audit) {
      const { connection } = transaction
      const operator = await locked(transaction, operatorId)
      if (operator === null || operator.disabled || operator.passwordHash !== from) {
        return { refused: 'credentials_changed' }
      }
      await connection.run(SET_PASSWORD, [operatorId, to])
      await connection.run(END_OTHERS, [operatorId, keptSession])
      await recordAudit(transaction, audit)
      return { changed: true }
    },
  },

  proveSession: {
    async run(transaction, { id, operatorId }, proof, audit) {
      const { connection } = transaction
      const operator = await locked(transaction, operatorId)
      if (operator === null || operator.disabled) return { refused: 'credentials_changed' }
      if ('passwordHash' in proof && proof.passwordHash !== operator.passwordHash) {
        return { refused: 'credentials_changed' }
      }
      if ('totpStep' in proof && isStepUsed(proof.totpStep, operator.totpStep)) return { refused: 'code_used' }
      const proved = await connection.run(PROVED, [audit.at, id, operatorId])
      if (proved === 0) return { refused: 'session_not_found' }
      if ('totpStep' in proof) {
        await connection.run('UPDATE operators SET totp_step = $2 WHERE id = $1', [operatorId, proof.totpStep])
      }
      await recordAudit(transaction, audit)
      return { proved: true }
    },
  },

  replaceRecoveryCodes: {
    async run(transaction, operatorId, recoveryHashes, audit) {
      const codes = [operatorId, JSON.stringify(recoveryHashes)]
      const sql = 'UPDATE operators SET recovery_hashes = $2 WHERE id = $1'
      if ((await transaction.connection.run(sql, codes)) === 0) return NO_OPERATOR
      await recordAudit(transaction, audit)
      return { replaced: true }
    },
  },

  sessionSeen: {
    async run({ connection }, sessionId, now) {
      await connection.run('UPDATE operator_sessions SET seen_at = greatest(seen_at, $2) WHERE id = $1', [
        sessionId,
        now,
      ])
    },
  },

  endSession: {
    async run(transaction, operatorId, sessionId, audit) {
      const sql = 'DELETE FROM operator_sessions WHERE id = $1 AND operator_id = $2'
      if ((await transaction.connection.run(sql, [sessionId, operatorId])) === 0)
        return { refused: 'session_not_found' }
      await recordAudit(transaction, audit)
      return { ended: true }
    },
  },

  addToken: {
    async run(transaction, token, limit, audit) {
      const { id, name, role, applications, hash, createdBy, createdAt, expiresAt, usedAt } = token
      const row = [id, name, role, inJson(applications), hash, createdBy, createdAt, expiresAt, usedAt]
      if ((await transaction.connection.run(INSERT_TOKEN, [...row, limit])) === 0) return { refused: 'token_limit' }
      await recordAudit(transaction, audit)
      return { added: true }
    },
  },

  apiTokenUsed: {
    async run({ connection }, tokenId, now) {
      await connection.run('UPDATE api_tokens SET used_at = $2 WHERE id = $1', [tokenId, now])
    },
  },

  revokeToken: {
    async run(transaction, tokenId, audit) {
      const removed = await transaction.connection.run('DELETE FROM api_tokens WHERE id = $1', [tokenId])
      if (removed === 0) return { refused: 'token_not_found' }
      await recordAudit(transaction, audit)
      return { revoked: true }
    },
  },

  addAuditRow: {
    async run(transaction, audit) {
      await recordAudit(transaction, audit)
    },
  },
})
