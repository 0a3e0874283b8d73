import type { FeedbackStore } from '../../../../ports/store.ts'
import { lockOwner, writesOf } from '../engine/write.ts'

const MAX_REMOVED = 100

const INSERT = `INSERT INTO feedback (id, user_id, message, category, rating, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)`
/** The newest `$2` stay. */
const REMOVE_OLDEST = `DELETE FROM feedback WHERE number IN (
    SELECT number FROM feedback WHERE user_id = $1 ORDER BY created_at DESC, number DESC OFFSET $2 LIMIT ${MAX_REMOVED}
  )`

export const feedbackWrites = writesOf<FeedbackStore>()({
  addFeedback: {
    moment: ({ createdAt }) => createdAt,
    sender: ({ userId }) => userId,
    async run(transaction, { id, userId, message, category, rating, createdAt }) {
      const { connection, quotas } = transaction
      await lockOwner(transaction, userId)
      await connection.run(INSERT, [id, userId, message, category, rating, createdAt])
      if (Number.isFinite(quotas.feedbackRows)) await connection.run(REMOVE_OLDEST, [userId, quotas.feedbackRows])
    },
  },
})
