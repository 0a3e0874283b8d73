import { MAX_OF_KIND, MAX_REMOVAL_TEXTS, type RemovalText } from '../../../../core/account/removal-text.ts'
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

/** Keeps texts in the transaction of their removal, on a full disk too: they are few. */
export function removalTextKeeper(db: SqliteDatabase): (texts: readonly RemovalText[]) => void {
  const keep = db.prepare<RemovalText>(
    `INSERT INTO removal_texts (id, user_id, asked, until, due_at, phone)
     SELECT @id, id, @asked, @until, @dueAt, @phone FROM users
     WHERE id = @userId AND (SELECT count(*) FROM removal_texts) < ${MAX_REMOVAL_TEXTS}
       AND (SELECT count(*) FROM removal_texts WHERE user_id = @userId AND asked = @asked) < ${MAX_OF_KIND}`,
  )
  return (texts) => {
    for (const text of texts) keep.run(text)
  }
}

const removalTextRows = ({ db }: WriteContext) => ({
  claim: db.prepare<[number, string, number]>('UPDATE removal_texts SET due_at = ? WHERE id = ? AND due_at = ?'),
  drop: db.prepare<[string]>('DELETE FROM removal_texts WHERE id = ?'),
})

/** Both give way to alarms, on a full disk too. */
export const removalTextWrites = writesOf<RemovalTextStore>()(removalTextRows, {
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
