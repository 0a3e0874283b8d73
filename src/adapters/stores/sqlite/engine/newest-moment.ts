import type { SqliteDatabase } from './database.ts'

/** `newest_moment` rises with each write. `set` writes any value, for when the clock itself has changed. */
export function newestMomentRow(db: SqliteDatabase) {
  const rise = db.prepare<[number, number]>("UPDATE meta SET value = ? WHERE key = 'newest_moment' AND value < ?")
  const set = db.prepare<[number]>("UPDATE meta SET value = ? WHERE key = 'newest_moment'")
  return { rise: (to: number): void => void rise.run(to, to), set: (to: number): void => void set.run(to) }
}
