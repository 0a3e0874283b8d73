import type { Decided, Refused } from '../../../../core/decided.ts'
import type { AuditEntry } from '../../../../core/operator/audit.ts'
import {
  changesDesk,
  decideAcceptInvitation,
  decideAddPasskey,
  decideAddToken,
  decideChangePassword,
  decideOpenSession,
  decideProveSession,
  decideRemovePasskey,
  decideRenamePasskey,
  decideReplaceRecoveryCodes,
  decideResetPasskeys,
  decideUpdateOperator,
  newAccount,
  type OperatorAccount,
  type OperatorChanges,
  type OperatorSituation,
} from '../../../../core/operator/decide-operator.ts'
import type { Passkey } from '../../../../core/operator/passkey.ts'
import type { ApiToken, NewSession, OperatorSession } from '../../../../core/operator/session.ts'
import type { Invitation, OperatorStore, PasskeyStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { ACCOUNTS, ADMINS, PASSKEYS, SESSIONS, UNLESS_LOGIN_TAKEN } from '../../shared/operators.ts'
import { fromRow, insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

function operatorRows({ db, leaveNotice }: WriteContext) {
  const byId = db.prepare<[string], Row>(`${ACCOUNTS} WHERE id = ?`)
  const sessionsOf = db.prepare<[string], OperatorSession>(
    `${SESSIONS} WHERE operator_id = ? ORDER BY seen_at DESC, id DESC`,
  )
  const invited = db.prepare<[string], string>('SELECT operator_id FROM operator_invitations WHERE hash = ?').pluck()
  const admins = db.prepare<[], string>(ADMINS).pluck()
  const tokens = db.prepare<[], number>('SELECT count(*) FROM api_tokens').pluck()

  const insert = db.prepare<Row>(`${insertSql('operators')} ${UNLESS_LOGIN_TAKEN}`)
  const update = db.prepare<Row>(updateSql('operators'))
  const invite = db.prepare<Row>(`${insertSql('operator_invitations')} ${replacing('operator_invitations')}`)
  const uninvite = db.prepare<[string]>('DELETE FROM operator_invitations WHERE operator_id = ?')
  const end = db.prepare<[string]>('DELETE FROM operator_sessions WHERE id = ?')
  const open = db.prepare<Row>(insertSql('operator_sessions'))
  const passkeysOf = db.prepare<[string], Row>(`${PASSKEYS} WHERE operator_id = ? ORDER BY added_at, id`)
  const isPasskey = db.prepare<[string], number>('SELECT 1 FROM passkeys WHERE id = ?').pluck()
  const addPasskey = db.prepare<Row>(insertSql('passkeys'))
  const updatePasskey = db.prepare<Row>(updateSql('passkeys'))
  const forget = db.prepare<[string]>('DELETE FROM passkeys WHERE id = ?')
  const prove = db.prepare<[number, string]>('UPDATE operator_sessions SET proved_at = ? WHERE id = ?')
  const addToken = db.prepare<Row>(insertSql('api_tokens'))

  const accountOf = fromRow<OperatorAccount>('operators')
  const accountRow = toRow<OperatorAccount>('operators')
  const invitationRow = toRow<Invitation>('operator_invitations')
  const passkeyOf = fromRow<Passkey>('passkeys')
  const passkeyRow = toRow<Passkey>('passkeys')
  const sessionRow = toRow<NewSession>('operator_sessions')
  const tokenRow = toRow<ApiToken>('api_tokens')
  const record = auditing(db)
  return {
    record,
    leaveNotice,
    load(operatorId: string): OperatorSituation {
      const row = byId.get(operatorId)
      const passkeys = passkeysOf.all(operatorId).map(passkeyOf)
      return { account: row === undefined ? null : accountOf(row), sessions: sessionsOf.all(operatorId), passkeys }
    },
    loadIsPasskey: (id: string): boolean => isPasskey.get(id) !== undefined,
    loadInvited: (hash: string): string | null => invited.get(hash) ?? null,
    loadAdmins: (): readonly string[] => admins.all(),
    loadTokens: (): number => tokens.get() ?? 0,

    save<R, C extends string>(
      decided: Decided<OperatorChanges, R, C>,
      audit: AuditEntry,
      isOfDesk = false,
    ): R | Refused<C> {
      if ('refused' in decided) return decided
      if (decided.update !== undefined) update.run(accountRow(decided.update))
      if (decided.uninvite !== undefined) uninvite.run(decided.uninvite)
      for (const sessionId of decided.end ?? []) end.run(sessionId)
      if (decided.open !== undefined) open.run(sessionRow(decided.open))
      if (decided.prove !== undefined) prove.run(decided.prove.provedAt, decided.prove.id)
      if (decided.addPasskey !== undefined) addPasskey.run(passkeyRow(decided.addPasskey))
      if (decided.updatePasskey !== undefined) updatePasskey.run(passkeyRow(decided.updatePasskey))
      for (const id of decided.forget ?? []) forget.run(id)
      record(audit)
      if (isOfDesk || changesDesk(decided)) leaveNotice({ kind: 'desk' })
      return decided.result
    },
    /** Whether the login was free. */
    saveNew: (account: OperatorAccount): boolean => insert.run(accountRow(account)).changes > 0,
    saveInvitation: (invitation: Invitation) => void invite.run(invitationRow(invitation)),
    saveToken: (token: ApiToken) => void addToken.run(tokenRow(token)),

    seen: db.prepare<[number, string]>('UPDATE operator_sessions SET seen_at = max(seen_at, ?) WHERE id = ?'),
    endSession: db.prepare<[string, string]>('DELETE FROM operator_sessions WHERE id = ? AND operator_id = ?'),
    tokenUsed: db.prepare<[number, string]>('UPDATE api_tokens SET used_at = ? WHERE id = ?'),
    deleteToken: db.prepare<[string]>('DELETE FROM api_tokens WHERE id = ?'),
  }
}

/** Signing in and disabling an operator work while the disk is full: both are bounded. */
export const operatorWrites = writesOf<OperatorStore & PasskeyStore>()(operatorRows, {
  addOperator: {
    run({ saveNew, record }, operator, audit) {
      if (!saveNew(newAccount(operator))) return { refused: 'login_taken' }
      record(audit)
      return { added: true }
    },
  },

  updateOperator: {
    reserve: 'uses',
    run({ load, loadAdmins, save }, operatorId, update, { keepAdmin }, audit) {
      const situation = { admins: loadAdmins(), ...load(operatorId) }
      return save(decideUpdateOperator(situation, update, { keepAdmin, now: audit.at }), audit, true)
    },
  },

  invite: {
    run({ load, saveInvitation, record }, invitation, audit) {
      if (load(invitation.operatorId).account === null) return { refused: 'operator_not_found' }
      saveInvitation(invitation)
      record(audit)
      return { invited: true }
    },
  },

  acceptInvitation: {
    run({ load, loadInvited, save }, hash, credentials, session, audit) {
      const situation = { ...load(session.operatorId), invited: loadInvited(hash) }
      return save(decideAcceptInvitation(situation, credentials, session), audit)
    },
  },

  openSession: {
    reserve: 'uses',
    run({ load, save }, session, proof, max, audit) {
      return save(decideOpenSession(load(session.operatorId), session, proof, max), audit)
    },
  },

  changePassword: {
    reserve: 'uses',
    run({ load, save }, operatorId, change, audit) {
      return save(decideChangePassword(load(operatorId), change), audit)
    },
  },

  proveSession: {
    reserve: 'uses',
    run({ load, save }, { id, operatorId }, proof, audit) {
      return save(decideProveSession(load(operatorId), id, proof, audit.at), audit)
    },
  },

  replaceRecoveryCodes: {
    run({ load, save }, operatorId, recoveryHashes, audit) {
      return save(decideReplaceRecoveryCodes(load(operatorId), recoveryHashes), audit)
    },
  },

  sessionSeen: {
    run({ seen }, sessionId, now) {
      seen.run(now, sessionId)
    },
  },

  endSession: {
    reserve: 'uses',
    run({ endSession, record, leaveNotice }, operatorId, sessionId, audit) {
      if (endSession.run(sessionId, operatorId).changes === 0) return { refused: 'session_not_found' }
      record(audit)
      leaveNotice({ kind: 'desk' })
      return { ended: true }
    },
  },

  addPasskey: {
    run({ load, loadIsPasskey, save }, passkey, limit, audit) {
      const situation = { ...load(passkey.operatorId), isTaken: loadIsPasskey(passkey.id) }
      return save(decideAddPasskey(situation, passkey, limit), audit)
    },
  },

  renamePasskey: {
    run({ load, save }, operatorId, passkeyId, name, audit) {
      return save(decideRenamePasskey(load(operatorId), passkeyId, name), audit)
    },
  },

  removePasskey: {
    reserve: 'uses',
    run({ load, save }, operatorId, passkeyId, audit) {
      return save(decideRemovePasskey(load(operatorId), passkeyId), audit)
    },
  },

  resetPasskeys: {
    reserve: 'uses',
    run({ load, save }, operatorId, audit) {
      return save(decideResetPasskeys(load(operatorId)), audit)
    },
  },

  addToken: {
    run({ loadTokens, saveToken, record }, token, limit, audit) {
      const decided = decideAddToken(loadTokens(), token, limit)
      if ('refused' in decided) return decided
      saveToken(decided.insert)
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
