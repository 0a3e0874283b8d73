import type { AuditEntry } from '../../../../core/operator/audit.ts'
import type { Transaction } from '../engine/write.ts'

/** Columns under the names of the core's types. */
export const OPERATOR = `operators.id, login, operators.name, role, applications, disabled,
  operators.created_at AS "createdAt", updated_at AS "updatedAt", signed_in_at AS "signedInAt"`
export const CREDENTIALS = `password_hash AS "passwordHash", totp_secret AS "totpSecret", totp_step AS "totpStep",
  recovery_hashes AS "recoveryHashes", known_networks AS "knownNetworks"`
export const SESSION = `operator_sessions.id, operator_id AS "operatorId", operator_sessions.created_at AS "createdAt",
  seen_at AS "seenAt", expires_at AS "expiresAt", coalesce(proved_at, operator_sessions.created_at) AS "provedAt",
  address, browser`
export const TOKEN = `id, name, role, applications, created_by AS "createdBy", created_at AS "createdAt",
  expires_at AS "expiresAt", used_at AS "usedAt"`
export const AUDIT = `id, at, json_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name) AS actor, address,
  action, app_id AS "appId", user_id AS "userId", subject, details`

const RECORD = `INSERT INTO operator_audit
    (at, actor_kind, actor_id, actor_name, address, action, app_id, user_id, subject, details)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

/** Adds a row to the audit log, in the transaction of the change that it is about. */
export async function recordAudit({ connection }: Pick<Transaction, 'connection'>, entry: AuditEntry): Promise<void> {
  const { at, actor, address, action, appId, userId, subject, details } = entry
  const who = [actor.kind, actor.id, actor.name]
  await connection.run(RECORD, [at, ...who, address, action, appId, userId, subject, JSON.stringify(details)])
}
