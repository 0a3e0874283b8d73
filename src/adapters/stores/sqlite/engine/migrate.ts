import { migrationsOf, newestOf, newestSchema } from '../../shared/migrations.ts'
import type { SqliteDatabase } from './database.ts'

/** The number of the newest migration applied; 0 for a file without any. */
export const versionOf = (db: SqliteDatabase): number => Number(db.pragma('user_version', { simple: true }))

/** The newest schema version that this version of Tocsin knows. */
export const newestVersion = (): number => newestSchema('sqlite')

/** Whether the database can be read as it is: in WAL mode and at the newest migration. */
export const isUpToDate = (db: SqliteDatabase): boolean =>
  versionOf(db) === newestVersion() && db.pragma('journal_mode', { simple: true }) === 'wal'

/**
 * Brings the database up to the newest migration in one transaction: if one fails, the file is unchanged and the
 * version that wrote it can still use it. Safe in several processes: the first to get the write lock migrates. Throws,
 * with a sentence for the operator, if the file is newer than the code or a migration fails.
 */
export function migrate(db: SqliteDatabase, known = migrationsOf('sqlite')): void {
  const newest = newestOf(known)
  const pending = (): typeof known => {
    const version = versionOf(db)
    if (version <= newest) return known.filter(({ number }) => number > version)
    throw new Error(
      `${db.name} was written by a newer version of Tocsin (its schema is version ${version}, this one supports up to ${newest}); update Tocsin, or restore a backup`,
    )
  }
  if (pending().length === 0) return
  const apply = db.transaction(() => {
    // Checked again under the lock: another process may have migrated first, or further.
    for (const { number, file, sql } of pending()) {
      try {
        db.exec(sql())
      } catch (error) {
        throw new Error(
          `${db.name} could not be upgraded (${file}: ${error instanceof Error ? error.message : error}); nothing was changed, and the version that wrote it can still use it`,
          { cause: error },
        )
      }
      db.pragma(`user_version = ${number}`)
    }
  })
  apply.immediate()
}
