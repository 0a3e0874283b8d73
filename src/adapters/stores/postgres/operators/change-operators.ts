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
import type { OperatorSession } from '../../../../core/operator/session.ts'
import type { OperatorStore, PasskeyStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { ACCOUNTS, ADMINS, PASSKEYS, SESSIONS, UNLESS_LOGIN_TAKEN } from '../../shared/operators.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { leaveNotice, type Transaction, writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

const ACCOUNT = `${ACCOUNTS} WHERE id = $1 FOR NO KEY UPDATE`
const SESSIONS_OF = `${SESSIONS} WHERE operator_id = $1 ORDER BY seen_at DESC, id DESC`
const INVITED = 'SELECT operator_id AS "operatorId" FROM operator_invitations WHERE hash = $1'
const INSERT = `${insertSql('operators')} ${UNLESS_LOGIN_TAKEN}`
const UPDATE = updateSql('operators')
const INVITE = `${insertSql('operator_invitations')} ${replacing('operator_invitations')}`
const UNINVITE = 'DELETE FROM operator_invitations WHERE operator_id = $1'
const END = 'DELETE FROM operator_sessions WHERE id = ANY ($1)'
const OPEN = insertSql('operator_sessions')
const PASSKEYS_OF = `${PASSKEYS} WHERE operator_id = $1 ORDER BY added_at, id`
const IS_PASSKEY = 'SELECT 1 FROM passkeys WHERE id = $1'
const ADD_PASSKEY = insertSql('passkeys')
const USE_PASSKEY = updateSql('passkeys')
const FORGET = 'DELETE FROM passkeys WHERE id = ANY ($1)'
const PROVE = 'UPDATE operator_sessions SET proved_at = $1 WHERE id = $2'
const ADD_TOKEN = insertSql('api_tokens')

/** Locks the operator: changes of one take turns, on all nodes. */
async function load({ connection }: Transaction, operatorId: string): Promise<OperatorSituation> {
  const [account] = await connection.rows<OperatorAccount>(ACCOUNT, [operatorId])
  if (account === undefined) return { account: null, sessions: [], passkeys: [] }
  const sessions = await connection.rows<OperatorSession>(SESSIONS_OF, [operatorId])
  return { account, sessions, passkeys: await connection.rows<Passkey>(PASSKEYS_OF, [operatorId]) }
}

/** The operator of an invitation. Comes behind `load`: every change of an invitation locks its operator. */
async function loadInvited({ connection }: Transaction, hash: string): Promise<string | null> {
  const [invitation] = await connection.rows<{ operatorId: string }>(INVITED, [hash])
  return invitation?.operatorId ?? null
}

/** Locks every admin in one order, before `load`: two cannot disable each other at the same time. */
async function loadAdmins({ connection }: Transaction): Promise<readonly string[]> {
  return (await connection.rows<{ id: string }>(`${ADMINS} FOR NO KEY UPDATE`)).map(({ id }) => id)
}

async function loadTokens({ connection }: Transaction): Promise<number> {
  const [of] = await connection.rows<{ count: number }>('SELECT count(*) AS count FROM api_tokens')
  return of?.count ?? 0
}

async function save<R, C extends string>(
  transaction: Transaction,
  decided: Decided<OperatorChanges, R, C>,
  audit: AuditEntry,
  isOfDesk = false,
): Promise<R | Refused<C>> {
  if ('refused' in decided) return decided
  const { connection } = transaction
  const { update, uninvite, end = [], open, prove, addPasskey, updatePasskey, forget = [], result } = decided
  if (update !== undefined) await connection.run(UPDATE, [JSON.stringify([update])])
  if (uninvite !== undefined) await connection.run(UNINVITE, [uninvite])
  if (end.length > 0) await connection.run(END, [end])
  if (open !== undefined) await connection.run(OPEN, [JSON.stringify([open])])
  if (prove !== undefined) await connection.run(PROVE, [prove.provedAt, prove.id])
  if (addPasskey !== undefined) await connection.run(ADD_PASSKEY, [JSON.stringify([addPasskey])])
  if (updatePasskey !== undefined) await connection.run(USE_PASSKEY, [JSON.stringify([updatePasskey])])
  if (forget.length > 0) await connection.run(FORGET, [forget])
  await recordAudit(transaction, audit)
  if (isOfDesk || changesDesk(decided)) await leaveNotice(transaction, { kind: 'desk' })
  return result
}

export const operatorWrites = writesOf<OperatorStore & PasskeyStore>()({
  addOperator: {
    async run(transaction, operator, audit) {
      const added = await transaction.connection.run(INSERT, [JSON.stringify([newAccount(operator)])])
      if (added === 0) return { refused: 'login_taken' }
      await recordAudit(transaction, audit)
      return { added: true }
    },
  },

  updateOperator: {
    async run(transaction, operatorId, update, { keepAdmin }, audit) {
      const admins = await loadAdmins(transaction)
      const situation = { admins, ...(await load(transaction, operatorId)) }
      return save(transaction, decideUpdateOperator(situation, update, { keepAdmin, now: audit.at }), audit, true)
    },
  },

  invite: {
    async run(transaction, invitation, audit) {
      const { account } = await load(transaction, invitation.operatorId)
      if (account === null) return { refused: 'operator_not_found' }
      await transaction.connection.run(INVITE, [JSON.stringify([invitation])])
      await recordAudit(transaction, audit)
      return { invited: true }
    },
  },

  acceptInvitation: {
    async run(transaction, hash, credentials, session, audit) {
      const operator = await load(transaction, session.operatorId)
      const situation = { ...operator, invited: await loadInvited(transaction, hash) }
      return save(transaction, decideAcceptInvitation(situation, credentials, session), audit)
    },
  },

  openSession: {
    async run(transaction, session, proof, max, audit) {
      return save(
        transaction,
        decideOpenSession(await load(transaction, session.operatorId), session, proof, max),
        audit,
      )
    },
  },

  changePassword: {
    async run(transaction, operatorId, change, audit) {
      return save(transaction, decideChangePassword(await load(transaction, operatorId), change), audit)
    },
  },

  proveSession: {
    async run(transaction, { id, operatorId }, proof, audit) {
      return save(transaction, decideProveSession(await load(transaction, operatorId), id, proof, audit.at), audit)
    },
  },

  replaceRecoveryCodes: {
    async run(transaction, operatorId, recoveryHashes, audit) {
      return save(transaction, decideReplaceRecoveryCodes(await load(transaction, operatorId), recoveryHashes), audit)
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
      await leaveNotice(transaction, { kind: 'desk' })
      return { ended: true }
    },
  },

  addPasskey: {
    async run(transaction, passkey, limit, audit) {
      const operator = await load(transaction, passkey.operatorId)
      const isTaken = (await transaction.connection.rows(IS_PASSKEY, [passkey.id])).length > 0
      return save(transaction, decideAddPasskey({ ...operator, isTaken }, passkey, limit), audit)
    },
  },

  renamePasskey: {
    async run(transaction, operatorId, passkeyId, name, audit) {
      return save(transaction, decideRenamePasskey(await load(transaction, operatorId), passkeyId, name), audit)
    },
  },

  removePasskey: {
    async run(transaction, operatorId, passkeyId, audit) {
      return save(transaction, decideRemovePasskey(await load(transaction, operatorId), passkeyId), audit)
    },
  },

  resetPasskeys: {
    async run(transaction, operatorId, audit) {
      return save(transaction, decideResetPasskeys(await load(transaction, operatorId)), audit)
    },
  },

  addToken: {
    async run(transaction, token, limit, audit) {
      const decided = decideAddToken(await loadTokens(transaction), token, limit)
      if ('refused' in decided) return decided
      await transaction.connection.run(ADD_TOKEN, [JSON.stringify([decided.insert])])
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
