import type { ClockDoubt, ClockStore } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from '../operators/record-audit.ts'

/**
 * The clock record, as rows of `meta`. `newest_moment`: see the port. `believed_moment`: if not 0, the moment to
 * measure the clock against instead. `clock_needs_operator`: 1 if the system clock alone is not proof.
 */
export function clockReads(db: SqliteDatabase) {
  const read = db.prepare<[string], number>('SELECT value FROM meta WHERE key = ?').pluck()
  return {
    clockRecord(): Awaited<ReturnType<ClockStore['clockRecord']>> {
      const believedMoment = read.get('believed_moment') ?? 0
      const needsOperator = read.get('clock_needs_operator') === 1
      return {
        newestMoment: read.get('newest_moment') ?? 0,
        doubt: believedMoment === 0 ? null : { believedMoment, needsOperator },
      }
    },
  }
}

function clockRows({ db, leaveNotice }: WriteContext) {
  const set = db.prepare<[string, number]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  return {
    leaveNotice,
    record: auditing(db),
    setNewestMoment: (to: number): void => void set.run('newest_moment', to),
    setDoubt({ believedMoment, needsOperator }: ClockDoubt): void {
      set.run('believed_moment', believedMoment)
      set.run('clock_needs_operator', needsOperator ? 1 : 0)
    },
  }
}

export const clockWrites = writesOf<ClockStore>()(clockRows, {
  keepClock: {
    reserve: 'uses',
    setsClock: true,
    moment: (now) => now,
    run({ setNewestMoment, setDoubt }, now, doubt) {
      setNewestMoment(now)
      setDoubt(doubt ?? { believedMoment: 0, needsOperator: false })
    },
  },
  acceptClock: {
    reserve: 'uses',
    run({ setDoubt, record, leaveNotice }, now, audit) {
      setDoubt({ believedMoment: now, needsOperator: false })
      record(audit)
      leaveNotice({ kind: 'clock_accepted' })
    },
  },
})
