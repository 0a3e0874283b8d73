import { decideKeepPush, type OperatorPush } from '../../../../core/operator/operator-push.ts'
import type { OperatorPushStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { OPERATOR_PUSHES } from '../../shared/operators.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, insertSql, type Row, toRow } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

const pushOf = fromRow<OperatorPush>('operator_pushes')
const rowOf = toRow<OperatorPush>('operator_pushes')

export function operatorPushReads(db: SqliteDatabase) {
  const all = db.prepare<[], Row>(`${OPERATOR_PUSHES} ORDER BY operator_id, session_id`)
  const own = db.prepare<[string], Row>(`${OPERATOR_PUSHES} WHERE operator_id = ? ORDER BY session_id`)
  return {
    operatorPushes: (operatorId: string | null) => (operatorId === null ? all.all() : own.all(operatorId)).map(pushOf),
  }
}

const pushRows = ({ db }: WriteContext) => {
  const keep = db.prepare<Row>(`${insertSql('operator_pushes')} ${replacing('operator_pushes')}`)
  return {
    isSession: db
      .prepare<[string, string], number>('SELECT 1 FROM operator_sessions WHERE id = ? AND operator_id = ?')
      .pluck(),
    others: db
      .prepare<[string, string, string], number>(
        'SELECT count(*) FROM operator_pushes WHERE operator_id = ? AND session_id <> ? AND endpoint <> ?',
      )
      .pluck(),
    release: db.prepare<[string, string]>('DELETE FROM operator_pushes WHERE endpoint = ? AND session_id <> ?'),
    keep: (push: OperatorPush) => keep.run(rowOf(push)),
    remove: db.prepare<{ sessionId: string; endpoint: string | null }>(
      'DELETE FROM operator_pushes WHERE session_id = @sessionId AND (@endpoint IS NULL OR endpoint = @endpoint)',
    ),
    note: db.prepare<Row>(
      `UPDATE operator_pushes SET sent_at = CASE WHEN @failure IS NULL THEN @at ELSE sent_at END,
         failed_at = CASE WHEN @failure IS NULL THEN NULL ELSE @at END, failure = @failure
       WHERE session_id = @sessionId AND endpoint = @endpoint`,
    ),
  }
}

/** Everything here gives way to alarms, on a full disk too. */
export const operatorPushWrites = writesOf<OperatorPushStore>()(pushRows, {
  keepOperatorPush: {
    reserve: 'spares',
    run({ isSession, others, release, keep }, push, limit) {
      const { sessionId, operatorId, endpoint } = push
      const situation = {
        isSession: isSession.get(sessionId, operatorId) !== undefined,
        others: others.get(operatorId, sessionId, endpoint)!,
      }
      const decided = decideKeepPush(situation, push, limit)
      if ('refused' in decided) return decided
      release.run(endpoint, sessionId)
      keep(decided.insert)
      return decided.result
    },
  },

  removeOperatorPush: {
    lane: 'bulk',
    reserve: 'uses',
    run: ({ remove }, sessionId, endpoint) => void remove.run({ sessionId, endpoint }),
  },

  noteOperatorPush: {
    lane: 'bulk',
    reserve: 'spares',
    run: ({ note }, { sessionId, endpoint }, { failure, at }) => void note.run({ sessionId, endpoint, failure, at }),
  },
})
