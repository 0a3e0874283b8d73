import type { Due } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'

const ANY_TIME = Number.MAX_SAFE_INTEGER
const NEVER = Number.POSITIVE_INFINITY

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
  const ids = (numbers: readonly number[]): readonly string[] =>
    numbers.length === 0 ? [] : idsOf.all(JSON.stringify(numbers))
  const momentOf = db.prepare<[number], number>('SELECT next_action_at FROM incidents WHERE number = ?').pluck()
  const byMoment = db
    .prepare<[0 | 1, number, number], number>(
      `SELECT number FROM incidents INDEXED BY incidents_to_do
       WHERE drill = +? AND next_action_at <= +? ORDER BY next_action_at LIMIT +?`,
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

  /** Numbers of the rows due by `until` (epoch ms): the real ones, then drills, each the most overdue first. */
  const rows = (until: number, limit: number, except: readonly string[]) => {
    numbers = withNumbers(except)
    const left = new Set(numbers.values())
    const found = (drill: 0 | 1): readonly number[] =>
      byMoment
        .all(drill, until, limit + left.size)
        .filter((number) => !left.has(number))
        .slice(0, limit)
    return { real: found(0), drills: found(1) }
  }
  const momentOfFirst = ([first]: readonly number[]): number => (first === undefined ? NEVER : momentOf.get(first)!)
  const orNull = (at: number): number | null => (at === NEVER ? null : at)

  return {
    due(now: number, limit: number, except: readonly string[] = []): Due {
      const { real, drills } = rows(now, limit, except)
      return { real: ids(real), drills: ids(drills.slice(0, limit - real.length)) }
    },
    nextActionAt(except: readonly string[] = []): number | null {
      const { real, drills } = rows(ANY_TIME, 1, except)
      return orNull(Math.min(momentOfFirst(real), momentOfFirst(drills)))
    },
    nextRealActionAt: (): number | null => orNull(momentOfFirst(byMoment.all(0, ANY_TIME, 1))),
  }
}
