import { leftSentence } from '../../shared/departure.ts'
import type { SqliteDatabase } from './database.ts'

type Departure = { readonly place: string; readonly left_at: number }

/** Throws, with a sentence for the operator, if everything has been copied elsewhere. For a current schema. */
export function refuseDeparted(db: SqliteDatabase): void {
  const departure = departureOf(db)
  if (departure !== null) throw new Error(leftSentence(departure.place, departure.left_at))
}

/** The place that everything was copied to, and the moment. Null: it is still here. */
export const departureOf = (db: SqliteDatabase): Departure | null =>
  db.prepare<[], Departure>('SELECT place, left_at FROM departure').get() ?? null

export const markLeft = (db: SqliteDatabase, place: string, now: number): void =>
  void db.prepare<[string, number]>('INSERT INTO departure (only_row, place, left_at) VALUES (1, ?, ?)').run(place, now)

export const unmark = (db: SqliteDatabase): void => void db.exec('DELETE FROM departure')
