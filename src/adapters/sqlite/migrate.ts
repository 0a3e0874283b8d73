import { readdirSync, readFileSync } from 'node:fs'
import type { Connection } from './connection.ts'

const DIRECTORY = new URL('./migrations/', import.meta.url)
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/

type Migration = { readonly number: number; readonly file: string }

function migrations(): readonly Migration[] {
  return readdirSync(DIRECTORY)
    .sort()
    .map((file) => ({ file, number: Number(FILE_NAME.exec(file)?.[1]) }))
}

/** The number of the newest migration that was applied; 0 for a file without any. */
export const versionOf = (db: Connection): number => Number(db.pragma('user_version', { simple: true }))

/** The newest schema that this version of Tocsin knows. */
export const newestVersion = (): number => migrations().at(-1)?.number ?? 0

/**
 * Brings the database up to the newest migration, each in a transaction of its own. Safe in several processes at once: each migration is
 * applied under the write lock, by whoever gets it first. Throws, with a sentence for the operator, where the file is newer than the code.
 */
export function migrate(db: Connection): void {
  const known = migrations()
  const newest = newestVersion()
  const refuseNewer = (): void => {
    const version = versionOf(db)
    if (version <= newest) return
    throw new Error(
      `${db.name} was written by a newer version of Tocsin (its schema is ${version}, this one knows ${newest}); update Tocsin, or restore a backup`,
    )
  }
  refuseNewer()
  for (const { number, file } of known) {
    if (versionOf(db) >= number) continue
    const apply = db.transaction(() => {
      // Another process may have been faster, and newer.
      refuseNewer()
      if (versionOf(db) >= number) return
      db.exec(readFileSync(new URL(file, DIRECTORY), 'utf8'))
      db.pragma(`user_version = ${number}`)
    })
    apply.immediate()
  }
}
