import { MAX_OF_KIND, MAX_REMOVAL_TEXTS, type RemovalText } from '../../../../core/account/removal-text.ts'
import type { RemovalTextStore } from '../../../../ports/store.ts'
import { selected } from '../../shared/columns.ts'
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { type Transaction, writesOf } from '../engine/write.ts'

const KEEP = `INSERT INTO removal_texts (id, user_id, asked, until, due_at, phone)
  SELECT $1, id, $3, $4, $5, $6 FROM users
  WHERE id = $2 AND (SELECT count(*) FROM removal_texts) < ${MAX_REMOVAL_TEXTS}
    AND (SELECT count(*) FROM removal_texts WHERE user_id = $2 AND asked = $3) < ${MAX_OF_KIND}`
const CLAIM = 'UPDATE removal_texts SET due_at = $3 WHERE id = $1 AND due_at = $2'
const DUE = `SELECT ${selected('removal_texts')} FROM removal_texts WHERE due_at <= $1 ORDER BY due_at, id LIMIT $2`

export const removalTextReads = ({ rows }: Reader): ReadsOf<RemovalTextStore> => ({
  dueRemovalTexts: (now, max) => rows<RemovalText>(DUE, [now, max]),
})

/** Keeps texts in the transaction of their removal, which has locked the user. */
export async function keepRemovalTexts({ connection }: Transaction, texts: readonly RemovalText[]): Promise<void> {
  for (const { id, userId, asked, until, dueAt, phone } of texts)
    await connection.run(KEEP, [id, userId, asked, until, dueAt, phone])
}

export const removalTextWrites = writesOf<RemovalTextStore>()({
  claimRemovalText: {
    run: async ({ connection }, { id, dueAt }, next) => (await connection.run(CLAIM, [id, dueAt, next])) === 1,
  },

  dropRemovalText: {
    run: async ({ connection }, id) => void (await connection.run('DELETE FROM removal_texts WHERE id = $1', [id])),
  },
})
