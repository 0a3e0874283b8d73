import type { SqliteDatabase } from '../engine/database.ts'

/** Tables that grow with traffic and that no alarm decision reads. A damaged page of theirs costs only its own rows. */
const HISTORY: readonly unknown[] = ['telemetry', 'trail', 'outbox', 'dead_letters', 'feedback', 'notices']

/** The first flaw of the tables: of all, or of those that alarm decisions need. Null if they are sound. */
export function firstFlaw(db: SqliteDatabase, tables: 'whole' | 'alarms'): string | null {
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of names.filter((name) => tables === 'whole' || !HISTORY.includes(name))) {
    const [first] = db.pragma(`quick_check('${table}')`) as { quick_check: string }[]
    if (first?.quick_check !== 'ok') return `${table}: ${first?.quick_check}`
  }
  return null
}
