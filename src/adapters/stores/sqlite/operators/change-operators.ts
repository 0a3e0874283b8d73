import { afterSignIn, type Operator, type OperatorCredentials } from '../../../../core/operator/operator.ts'
import { hasEnded } from '../../../../core/operator/session.ts'
import { isStepUsed } from '../../../../core/operator/totp.ts'
import type { NewSession, OperatorStore } from '../../../../ports/store.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import {
  auditing,
  CREDENTIALS,
  type CredentialsRow,
  credentialsOf,
  OPERATOR,
  type OperatorRow,
  operatorOf,
} from './rows.ts'

type Columns = { readonly [column: string]: string | number | null }

const listsOf = ({ recoveryHashes, knownNetworks }: OperatorCredentials): Columns => ({
  recoveryHashes: JSON.stringify(recoveryHashes),
  knownNetworks: JSON.stringify(knownNetworks),
})

const columnsOf = ({ applications, disabled, ...operator }: Operator): Columns => ({
  ...operator,
  applications: applications && JSON.stringify(applications),
  disabled: Number(disabled),
})

function operatorRows({ db }: WriteContext) {
  const byId = db.prepare<[string], OperatorRow & CredentialsRow>(
    `SELECT ${OPERATOR}, ${CREDENTIALS} FROM operators WHERE id = ?`,
  )
  const isTaken = db.prepare<[string], number>('SELECT 1 FROM operators WHERE login = ?').pluck()
  const insert = db.prepare<Columns>(
    `INSERT INTO operators (id, login, name, role, applications, disabled, created_at, updated_at, signed_in_at)
     VALUES (@id, @login, @name, @role, @applications, @disabled, @createdAt, @updatedAt, @signedInAt)`,
  )
  const update = db.prepare<Columns>(
    `UPDATE operators SET name = @name, role = @role, applications = @applications, disabled = @disabled,
       updated_at = @updatedAt WHERE id = @id`,
  )
  const admins = db
    .prepare<[], number>(
      `SELECT count(*) FROM operators
       WHERE role = 'admin' AND applications IS NULL AND disabled = 0 AND password_hash IS NOT NULL`,
    )
    .pluck()
  const endSessions = db.prepare<[string]>('DELETE FROM operator_sessions WHERE operator_id = ?')
  const endSession = db.prepare<[string, string]>('DELETE FROM operator_sessions WHERE id = ? AND operator_id = ?')
  const sessionsOf = db.prepare<[string], Pick<NewSession, 'id' | 'createdAt' | 'seenAt' | 'expiresAt'>>(
    `SELECT id, created_at AS createdAt, seen_at AS seenAt, expires_at AS expiresAt FROM operator_sessions
     WHERE operator_id = ? ORDER BY seen_at DESC, id DESC`,
  )
  const insertSession = db.prepare<Columns>(
    `INSERT INTO operator_sessions (id, operator_id, hash, created_at, seen_at, expires_at, proved_at, address, browser)
     VALUES (@id, @operatorId, @hash, @createdAt, @seenAt, @expiresAt, @provedAt, @address, @browser)`,
  )
  const signedIn = db.prepare<Columns>(
    `UPDATE operators SET signed_in_at = @now, totp_step = @totpStep, recovery_hashes = @recoveryHashes,
       known_networks = @knownNetworks WHERE id = @operatorId`,
  )

  return {
    record: auditing(db),
    find(operatorId: string) {
      const row = byId.get(operatorId)
      return row === undefined ? null : { operator: operatorOf(row), credentials: credentialsOf(row) }
    },
    isTaken,
    insert,
    write: (operator: Operator) => update.run(columnsOf(operator)),
    admins: () => admins.get() ?? 0,
    endSessions,
    insertSession,
    signedIn,
    endSession,
    proved: db.prepare<[number, string, string]>(
      'UPDATE operator_sessions SET proved_at = ? WHERE id = ? AND operator_id = ?',
    ),
    setStep: db.prepare<[number, string]>('UPDATE operators SET totp_step = ? WHERE id = ?'),
    setRecovery: db.prepare<[string, string]>('UPDATE operators SET recovery_hashes = ? WHERE id = ?'),
    seen: db.prepare<[number, string]>('UPDATE operator_sessions SET seen_at = max(seen_at, ?) WHERE id = ?'),
    trimSessions(operatorId: string, keep: number, now: number): void {
      const spent = sessionsOf.all(operatorId).filter((session, place) => place >= keep || hasEnded(session, now))
      for (const { id } of spent) endSession.run(id, operatorId)
    },
    uninvite: db.prepare<[string]>('DELETE FROM operator_invitations WHERE operator_id = ?'),
    invite: db.prepare<Columns>(
      `INSERT INTO operator_invitations (operator_id, hash, totp_secret, created_at, expires_at)
       VALUES (@operatorId, @hash, @totpSecret, @createdAt, @expiresAt)
       ON CONFLICT (operator_id) DO UPDATE SET hash = excluded.hash, totp_secret = excluded.totp_secret,
         created_at = excluded.created_at, expires_at = excluded.expires_at`,
    ),
    invited: db.prepare<[string], string>('SELECT operator_id FROM operator_invitations WHERE hash = ?').pluck(),
    setCredentials: db.prepare<Columns>(
      `UPDATE operators SET password_hash = @passwordHash, totp_secret = @totpSecret, totp_step = @totpStep,
         recovery_hashes = @recoveryHashes, known_networks = @knownNetworks, signed_in_at = @now
       WHERE id = @operatorId`,
    ),
    setPassword: db.prepare<[string, string, string]>(
      'UPDATE operators SET password_hash = ? WHERE id = ? AND password_hash = ? AND disabled = 0',
    ),
    endOthers: db.prepare<[string, string]>('DELETE FROM operator_sessions WHERE operator_id = ? AND id <> ?'),
    tokens: db.prepare<[], number>('SELECT count(*) FROM api_tokens').pluck(),
    insertToken: db.prepare<Columns>(
      `INSERT INTO api_tokens (id, name, role, applications, hash, created_by, created_at, expires_at, used_at)
       VALUES (@id, @name, @role, @applications, @hash, @createdBy, @createdAt, @expiresAt, @usedAt)`,
    ),
    tokenUsed: db.prepare<[number, string]>('UPDATE api_tokens SET used_at = ? WHERE id = ?'),
    deleteToken: db.prepare<[string]>('DELETE FROM api_tokens WHERE id = ?'),
  }
}

const NO_OPERATOR = { refused: 'operator_not_found' } as const

/** Signing in and disabling an operator work while the disk is full: both are bounded. */
export const operatorWrites = writesOf<OperatorStore>()(operatorRows, {
  addOperator: {
    run({ isTaken, insert, record }, operator, audit) {
      if (isTaken.get(operator.login) !== undefined) return { refused: 'login_taken' }
      insert.run(columnsOf(operator))
      record(audit)
      return { added: true }
    },
  },

  updateOperator: {
    reserve: 'uses',
    run({ find, write, admins, endSessions, uninvite, record }, operatorId, update, { keepAdmin }, audit) {
      const before = find(operatorId)?.operator
      if (before === undefined) return NO_OPERATOR
      const managed = admins() > 0
      const operator = { ...before, ...update, updatedAt: audit.at }
      write(operator)
      if (keepAdmin && managed && admins() === 0) {
        write(before)
        return { refused: 'last_admin' }
      }
      if (operator.disabled) {
        endSessions.run(operatorId)
        uninvite.run(operatorId)
      }
      record(audit)
      return operator
    },
  },

  invite: {
    run({ find, invite, record }, invitation, audit) {
      if (find(invitation.operatorId) === null) return NO_OPERATOR
      invite.run(invitation)
      record(audit)
      return { invited: true }
    },
  },

  acceptInvitation: {
    run(rows, hash, credentials, session, audit) {
      const { passwordHash, totpSecret, totpStep } = credentials
      const operatorId = rows.invited.get(hash)
      const invited = operatorId === undefined ? null : rows.find(operatorId)
      if (operatorId === undefined || invited === null || invited.operator.disabled) {
        return { refused: 'invitation_not_found' }
      }
      if (operatorId !== session.operatorId) throw new Error('an invitation is for another operator')
      const now = session.createdAt
      rows.uninvite.run(operatorId)
      rows.endSessions.run(operatorId)
      rows.setCredentials.run({ operatorId, now, passwordHash, totpSecret, totpStep, ...listsOf(credentials) })
      rows.insertSession.run(session)
      rows.record(audit)
      return { accepted: true }
    },
  },

  openSession: {
    reserve: 'uses',
    run(
      { find, trimSessions, insertSession, signedIn, record },
      session,
      { passwordHash, second, network },
      max,
      audit,
    ) {
      const { operatorId, createdAt } = session
      const found = find(operatorId)
      if (found === null || found.operator.disabled || found.credentials.passwordHash !== passwordHash) {
        return { refused: 'credentials_changed' }
      }
      const left = afterSignIn(found.credentials, second, network)
      if (left === null) return { refused: 'code_used' }
      const { totpStep } = left
      signedIn.run({ operatorId, now: createdAt, totpStep, ...listsOf(left) })
      trimSessions(operatorId, max - 1, createdAt)
      insertSession.run(session)
      record(audit)
      return { opened: true }
    },
  },

  changePassword: {
    reserve: 'uses',
    run({ setPassword, endOthers, record }, operatorId, { from, to, keptSession }, audit) {
      if (setPassword.run(to, operatorId, from).changes === 0) return { refused: 'credentials_changed' }
      endOthers.run(operatorId, keptSession)
      record(audit)
      return { changed: true }
    },
  },

  proveSession: {
    reserve: 'uses',
    run({ find, proved, setStep, record }, { id, operatorId }, proof, audit) {
      const found = find(operatorId)
      if (found === null || found.operator.disabled) return { refused: 'credentials_changed' }
      const { passwordHash, totpStep } = found.credentials
      if ('passwordHash' in proof && proof.passwordHash !== passwordHash) return { refused: 'credentials_changed' }
      if ('totpStep' in proof && isStepUsed(proof.totpStep, totpStep)) return { refused: 'code_used' }
      if (proved.run(audit.at, id, operatorId).changes === 0) return { refused: 'session_not_found' }
      if ('totpStep' in proof) setStep.run(proof.totpStep, operatorId)
      record(audit)
      return { proved: true }
    },
  },

  replaceRecoveryCodes: {
    run({ setRecovery, record }, operatorId, recoveryHashes, audit) {
      if (setRecovery.run(JSON.stringify(recoveryHashes), operatorId).changes === 0) return NO_OPERATOR
      record(audit)
      return { replaced: true }
    },
  },

  sessionSeen: {
    run({ seen }, sessionId, now) {
      seen.run(now, sessionId)
    },
  },

  endSession: {
    reserve: 'uses',
    run({ endSession, record }, operatorId, sessionId, audit) {
      if (endSession.run(sessionId, operatorId).changes === 0) return { refused: 'session_not_found' }
      record(audit)
      return { ended: true }
    },
  },

  addToken: {
    run({ tokens, insertToken, record }, { applications, ...token }, limit, audit) {
      if ((tokens.get() ?? 0) >= limit) return { refused: 'token_limit' }
      insertToken.run({ ...token, applications: applications && JSON.stringify(applications) })
      record(audit)
      return { added: true }
    },
  },

  apiTokenUsed: {
    run({ tokenUsed }, tokenId, now) {
      tokenUsed.run(now, tokenId)
    },
  },

  revokeToken: {
    reserve: 'uses',
    run({ deleteToken, record }, tokenId, audit) {
      if (deleteToken.run(tokenId).changes === 0) return { refused: 'token_not_found' }
      record(audit)
      return { revoked: true }
    },
  },

  addAuditRow: {
    run({ record }, audit) {
      record(audit)
    },
  },
})
