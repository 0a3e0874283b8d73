import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Databases still under a temporary name: a restore or a copy in progress. */
export const STAGED_RESTORE = 'tocsin.db.restoring'
export const STAGED_COPY = 'tocsin.db.copying'

/** A database on its way into a backup, or out of one that is checked. */
export const STAGED_BACKUP = 'tocsin.db.backup'

/** Removes the remains of a killed backup. Only for the process that has the lock for it (`holdBackup`). */
export function removeStagedBackup(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name === STAGED_BACKUP || name.startsWith(`${STAGED_BACKUP}.`) || name.startsWith(`${STAGED_BACKUP}-`)) {
      rmSync(join(dataDir, name), { force: true })
    }
  }
}

/** Removes the remains of a killed restore or copy. Only for the process that holds `dataDir`. */
export function removeUnfinished(dataDir: string): void {
  for (const staged of [STAGED_RESTORE, STAGED_COPY]) removeWithLog(join(dataDir, staged))
}

/** SQLite would play a journal or a log that was left here into another database of this name. */
export const logsOf = (path: string): readonly string[] =>
  ['-journal', '-wal', '-shm'].map((ending) => `${path}${ending}`)

export function removeWithLog(path: string): void {
  for (const file of [path, ...logsOf(path)]) rmSync(file, { force: true })
}
