import type { CardStore, StoredCard } from '../../../../ports/store.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { lockOwner, writesOf } from '../engine/write.ts'

const ONE = 'SELECT value, updated_at AS "updatedAt" FROM cards WHERE user_id = $1'
const ANY = 'SELECT user_id AS "userId", value FROM cards LIMIT 1'
const KEEP = `INSERT INTO cards (user_id, value, updated_at) VALUES ($1, $2, $3)
  ON CONFLICT (user_id) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`
const REMOVE = 'DELETE FROM cards WHERE user_id = $1'

export const cardReads = ({ rows }: Reader): ReadsOf<CardStore> => ({
  card: async (userId) => (await rows<StoredCard>(ONE, [userId]))[0] ?? null,
  anyCard: async () => (await rows<{ userId: string; value: string }>(ANY, []))[0] ?? null,
})

export const cardWrites = writesOf<CardStore>()({
  keepCard: {
    moment: (_userId, { at }) => at,
    sender: (userId) => userId,
    async run(transaction, userId, { value, before, at }) {
      const { connection } = transaction
      if ((await lockOwner(transaction, userId)) === null) return { refused: 'user_not_found' }
      const [stored] = await connection.rows<StoredCard>(ONE, [userId])
      if ((stored?.value ?? null) !== before) return { refused: 'card_changed' }
      if (value === null) await connection.run(REMOVE, [userId])
      else await connection.run(KEEP, [userId, value, at])
      return { kept: true }
    },
  },

  removeCard: {
    sender: (userId) => userId,
    run: async ({ connection }, userId) =>
      (await connection.run(REMOVE, [userId])) === 0 ? { refused: 'no_card' } : { removed: true },
  },
})
