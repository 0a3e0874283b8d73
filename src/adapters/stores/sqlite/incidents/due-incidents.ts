import type { SqliteDatabase } from '../engine/database.ts'

const ANY_TIME = Number.MAX_SAFE_INTEGER

/**
 * The dispatcher's queries for due incidents. They leave out incidents whose attempts are queued: after a disaster
 * these may be ten thousand, all due, and queried many times a second. They are skipped by row number, which the index
 * contains; reading each row would cost a page.
 */
export function dueReads(db: SqliteDatabase) {
  const numberOf = db.prepare<[string], number>('SELECT number FROM incidents WHERE id = ?').pluck()
  const idsOf = db
    .prepare<[string], string>(
      'SELECT incidents.id FROM json_each(?) AS row JOIN incidents ON number = row.value ORDER BY row.key',
    )
    .pluck()
  const momentOf = db.prepare<[number], number>('SELECT next_action_at FROM incidents WHERE number = ?').pluck()
  const byMoment = db
    .prepare<[number, number], number>(
      'SELECT number FROM incidents WHERE next_action_at <= ? ORDER BY next_action_at LIMIT ?',
    )
    .pluck()
  /** Row numbers by id of those left out in the last query; most of them are left out in the next one too. */
  let numbers: ReadonlyMap<string, number> = new Map()

  const withNumbers = (ids: readonly string[]): ReadonlyMap<string, number> => {
    const found = new Map<string, number>()
    for (const id of ids) {
      const number = numbers.get(id) ?? numberOf.get(id)
      if (number !== undefined) found.set(id, number)
    }
    return found
  }

  /** Numbers of the rows due by `until` (epoch ms), the most overdue first. */
  const rows = (until: number, limit: number, except: readonly string[]): readonly number[] => {
    numbers = withNumbers(except)
    const left = new Set(numbers.values())
    return byMoment
      .all(until, limit + left.size)
      .filter((number) => !left.has(number))
      .slice(0, limit)
  }

  return {
    due: (now: number, limit: number, except: readonly string[] = []): readonly string[] =>
      idsOf.all(JSON.stringify(rows(now, limit, except))),
    nextActionAt(except: readonly string[] = []): number | null {
      const [first] = rows(ANY_TIME, 1, except)
      return first === undefined ? null : (momentOf.get(first) ?? null)
    },
  }
}
