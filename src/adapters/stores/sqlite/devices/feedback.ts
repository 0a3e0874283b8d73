import type { FeedbackStore } from '../../../../ports/store.ts'
import { OF_FEEDBACK } from '../../shared/devices.ts'
import { insertSql, type Row } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

const MAX_REMOVED = 100

const feedbackRows = ({ db, quotas }: WriteContext) => ({
  maxRows: quotas.feedbackRows,
  insert: db.prepare<Row>(insertSql('feedback', OF_FEEDBACK)),
  ofUser: db.prepare<[string], number>('SELECT count(*) FROM feedback WHERE user_id = ?').pluck(),
  removeOldest: db.prepare<[string, number]>(
    'DELETE FROM feedback WHERE user_id = ? ORDER BY created_at, rowid LIMIT ?',
  ),
})

export const feedbackWrites = writesOf<FeedbackStore>()(feedbackRows, {
  addFeedback: {
    lane: 'bulk',
    reserve: 'spares',
    moment: ({ createdAt }) => createdAt,
    sender: ({ userId }) => userId,
    run({ maxRows, insert, ofUser, removeOldest }, feedback) {
      insert.run(feedback)
      const tooMany = (ofUser.get(feedback.userId) ?? 0) - maxRows
      if (tooMany > 0) removeOldest.run(feedback.userId, Math.min(tooMany, MAX_REMOVED))
    },
  },
})
