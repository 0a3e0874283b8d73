import type { FeedbackStore } from '../../../../ports/store.ts'
import { OF_FEEDBACK } from '../../shared/devices.ts'
import { insertSql } from '../engine/row.ts'
import { lockOwner, writesOf } from '../engine/write.ts'

const MAX_REMOVED = 100

const INSERT = insertSql('feedback', OF_FEEDBACK)
/** The newest `$2` stay. */
const REMOVE_OLDEST = `DELETE FROM feedback WHERE number IN (
    SELECT number FROM feedback WHERE user_id = $1 ORDER BY created_at DESC, number DESC OFFSET $2 LIMIT ${MAX_REMOVED}
  )`

export const feedbackWrites = writesOf<FeedbackStore>()({
  addFeedback: {
    moment: ({ createdAt }) => createdAt,
    sender: ({ userId }) => userId,
    async run(transaction, feedback) {
      const { connection, quotas } = transaction
      await lockOwner(transaction, feedback.userId)
      await connection.run(INSERT, [JSON.stringify([feedback])])
      if (Number.isFinite(quotas.feedbackRows)) {
        await connection.run(REMOVE_OLDEST, [feedback.userId, quotas.feedbackRows])
      }
    },
  },
})
