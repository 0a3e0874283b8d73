import { statSync } from 'node:fs'
import { join } from 'node:path'
import { threadOf } from '../../../../lib/installation.ts'
import { newestSchema } from '../../shared/migrations.ts'
import { openReader } from '../engine/database.ts'
import { versionOf } from '../engine/migrate.ts'
import { threadOnDemand } from '../engine/thread-on-demand.ts'
import { isUsable } from '../files/data-dir.ts'

/** The result of a check of a database. `checked`: `alarms` if it is so large that its histories were left out. */
export type QuickCheck = { readonly checked: 'whole' | 'alarms'; readonly flaw: string | null }
export type FromQuickCheck = QuickCheck | { readonly failed: string }

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Sizes and schema of the database of `dataDir`; null if there is none. Throws if this user may not read it. */
export function lookAtDatabase(dataDir: string) {
  const path = join(dataDir, 'tocsin.db')
  if (!isUsable(path)) return null
  const db = openReader(path)
  try {
    const schema = versionOf(db)
    return { schema, known: newestSchema('sqlite'), bytes: bytesOf(path), logBytes: bytesOf(`${path}-wal`) }
  } finally {
    db.close()
  }
}

/**
 * Reads the pages of the database on a thread of its own, beside whatever the service does. Rejects where it cannot be
 * read.
 */
export async function quickCheck(dataDir: string): Promise<QuickCheck> {
  const script = threadOf('adapters/stores/sqlite/upkeep/quick-check-thread')
  const thread = threadOnDemand<FromQuickCheck>(script, 'quick check', join(dataDir, 'tocsin.db'))
  try {
    const found = await thread.ask()
    if ('failed' in found) throw new Error(found.failed)
    return found
  } finally {
    await thread.close()
  }
}
