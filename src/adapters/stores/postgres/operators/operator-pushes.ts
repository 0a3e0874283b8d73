import { decideKeepPush, type OperatorPush } from '../../../../core/operator/operator-push.ts'
import type { OperatorPushStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { OPERATOR_PUSHES } from '../../shared/operators.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql } from '../engine/row.ts'
import { writesOf } from '../engine/write.ts'

// Locks the operator, so that two browsers count each other, and the session, so that no other node ends it meanwhile.
const OPERATOR = 'SELECT 1 FROM operators WHERE id = $1 FOR NO KEY UPDATE'
const SESSION = 'SELECT 1 FROM operator_sessions WHERE id = $1 AND operator_id = $2 FOR KEY SHARE'
const OTHERS = 'SELECT 1 FROM operator_pushes WHERE operator_id = $1 AND session_id <> $2 AND endpoint <> $3'
const RELEASE = 'DELETE FROM operator_pushes WHERE endpoint = $1 AND session_id <> $2'
const KEEP = `${insertSql('operator_pushes')} ${replacing('operator_pushes')}`
const REMOVE = 'DELETE FROM operator_pushes WHERE session_id = $1 AND ($2::text IS NULL OR endpoint = $2)'
const NOTE = `UPDATE operator_pushes SET sent_at = CASE WHEN $3::text IS NULL THEN $4::bigint ELSE sent_at END,
    failed_at = CASE WHEN $3::text IS NULL THEN NULL ELSE $4::bigint END, failure = $3
  WHERE session_id = $1 AND endpoint = $2`

export const operatorPushReads = ({ rows }: Reader): ReadsOf<OperatorPushStore> => ({
  operatorPushes: (operatorId) =>
    operatorId === null
      ? rows<OperatorPush>(`${OPERATOR_PUSHES} ORDER BY operator_id, session_id`, [])
      : rows<OperatorPush>(`${OPERATOR_PUSHES} WHERE operator_id = $1 ORDER BY session_id`, [operatorId]),
})

export const operatorPushWrites = writesOf<OperatorPushStore>()({
  keepOperatorPush: {
    async run({ connection }, push, limit) {
      const { sessionId, operatorId, endpoint } = push
      await connection.rows(OPERATOR, [operatorId])
      const sessions = await connection.rows(SESSION, [sessionId, operatorId])
      const others = await connection.rows(OTHERS, [operatorId, sessionId, endpoint])
      const decided = decideKeepPush({ isSession: sessions.length > 0, others: others.length }, push, limit)
      if ('refused' in decided) return decided
      await connection.run(RELEASE, [endpoint, sessionId])
      await connection.run(KEEP, [JSON.stringify([decided.insert])])
      return decided.result
    },
  },

  removeOperatorPush: {
    run: async ({ connection }, sessionId, endpoint) => void (await connection.run(REMOVE, [sessionId, endpoint])),
  },

  noteOperatorPush: {
    run: async ({ connection }, { sessionId, endpoint }, { failure, at }) =>
      void (await connection.run(NOTE, [sessionId, endpoint, failure, at])),
  },
})
