import { MAX_REMOVAL_TEXTS, type RemovalText } from '../../../../core/account/removal-text.ts'
import type { RemovalTextStore } from '../../../../ports/store.ts'
import { selected } from '../../shared/columns.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'

export function removalTextReads(db: SqliteDatabase) {
  const due = db.prepare<[number, number], RemovalText>(
    `SELECT ${selected('removal_texts')} FROM removal_texts WHERE due_at <= ? ORDER BY due_at, id LIMIT ?`,
  )
  return { dueRemovalTexts: (now: number, max: number): readonly RemovalText[] => due.all(now, max) }
}

const removalTextRows = ({ db }: WriteContext) => ({
  keep: db.prepare<RemovalText>(
    `INSERT INTO removal_texts (id, user_id, asked, until, due_at)
     SELECT @id, id, @asked, @until, @dueAt FROM users
     WHERE id = @userId AND (SELECT count(*) FROM removal_texts) < ${MAX_REMOVAL_TEXTS}`,
  ),
  claim: db.prepare<[number, string, number]>('UPDATE removal_texts SET due_at = ? WHERE id = ? AND due_at = ?'),
  drop: db.prepare<[string]>('DELETE FROM removal_texts WHERE id = ?'),
})

/** Everything here gives way to alarms, on a full disk too. */
export const removalTextWrites = writesOf<RemovalTextStore>()(removalTextRows, {
  keepRemovalText: {
    reserve: 'spares',
    sender: ({ userId }) => userId,
    run: ({ keep }, text) => keep.run(text).changes === 1,
  },

  claimRemovalText: {
    lane: 'bulk',
    reserve: 'spares',
    run: ({ claim }, { id, dueAt }, next) => claim.run(next, id, dueAt).changes === 1,
  },

  dropRemovalText: {
    lane: 'bulk',
    reserve: 'uses',
    run: ({ drop }, id) => void drop.run(id),
  },
})
