import type { SqliteDatabase } from '../engine/database.ts'

const ANY_TIME = Number.MAX_SAFE_INTEGER

/**
 * What the dispatcher asks. It leaves out the incidents whose attempts wait for their turn: ten thousand of them after a
 * disaster, all due, and asked about many times a second. They are skipped by the number of their row, which is in the
 * index: to read the row itself would cost a page each.
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
  /** By id, of those left out in the last question: most of them are left out in the next one too. */
  let numbers: ReadonlyMap<string, number> = new Map()

  const withNumbers = (ids: readonly string[]): ReadonlyMap<string, number> => {
    const found = new Map<string, number>()
    for (const id of ids) {
      const number = numbers.get(id) ?? numberOf.get(id)
      if (number !== undefined) found.set(id, number)
    }
    return found
  }

  /** Rows that have something to do until `until` (epoch ms), the most overdue first. */
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
