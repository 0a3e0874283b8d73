import type { CardStore, StoredCard } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

export function cardReads(db: SqliteDatabase) {
  const one = db.prepare<[string], StoredCard>('SELECT value, updated_at AS updatedAt FROM cards WHERE user_id = ?')
  const any = db.prepare<[], { userId: string; value: string }>('SELECT user_id AS userId, value FROM cards LIMIT 1')
  return { card: (userId: string) => one.get(userId) ?? null, anyCard: () => any.get() ?? null }
}

const cardRows = ({ db }: WriteContext) => ({
  isUser: db.prepare<[string], number>('SELECT 1 FROM users WHERE id = ?').pluck(),
  stored: db.prepare<[string], string>('SELECT value FROM cards WHERE user_id = ?').pluck(),
  keep: db.prepare<[string, string, number]>(
    `INSERT INTO cards (user_id, value, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  ),
  remove: db.prepare<[string]>('DELETE FROM cards WHERE user_id = ?'),
})

export const cardWrites = writesOf<CardStore>()(cardRows, {
  keepCard: {
    reserve: 'spares',
    moment: (_userId, { at }) => at,
    sender: (userId) => userId,
    bytes: (_userId, { value, before }) => 2 * ((value?.length ?? 0) + (before?.length ?? 0)),
    run({ isUser, stored, keep, remove }, userId, { value, before, at }) {
      if (isUser.get(userId) === undefined) return { refused: 'user_not_found' as const }
      if ((stored.get(userId) ?? null) !== before) return { refused: 'card_changed' as const }
      if (value === null) remove.run(userId)
      else keep.run(userId, value, at)
      return { kept: true as const }
    },
  },

  removeCard: {
    sender: (userId) => userId,
    run: ({ remove }, userId) =>
      remove.run(userId).changes === 0 ? { refused: 'no_card' as const } : { removed: true as const },
  },
})
