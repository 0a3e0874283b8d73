import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from 'better-sqlite3'

const FOLDER = new URL('./migrations/', import.meta.url)

/**
 * Brings the file up to the newest schema: append-only numbered SQL files, each in one transaction, under a lock that keeps a
 * second process out. `user_version` says how far it came. Throws with a sentence for a file of a newer version.
 */
export function migrate(db: Database): void {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  for (;;) {
    const done = db.transaction(() => {
      const version = db.pragma('user_version', { simple: true }) as number
      if (version > files.length) {
        throw new Error(
          `the data is of a newer version of Tocsin (schema ${version}, this one knows ${files.length}); upgrade Tocsin`,
        )
      }
      const next = files[version]
      if (next === undefined) return true
      db.exec(readFileSync(new URL(next, FOLDER), 'utf8'))
      db.pragma(`user_version = ${version + 1}`)
      return false
    })
    if (done.immediate()) return
  }
}
