import type { ClockDoubt, ClockStore } from '../../../../ports/store.ts'
import type { LeaveNotice } from '../incidents/notices.ts'
import type { Connection } from './connection.ts'

/**
 * What is known of the clock, as rows of `meta`. `newest_moment`: see the port. `believed_moment`: where it is not 0, what a clock is measured by
 * in its place. `clock_needs_operator`: 1 where the system's word is no proof.
 */
export function clockReads(db: Connection) {
  const read = db.prepare<[string], number>('SELECT value FROM meta WHERE key = ?').pluck()
  const newestMoment = (): number => read.get('newest_moment') ?? 0
  return {
    newestMoment,
    clockRecord(): Awaited<ReturnType<ClockStore['clockRecord']>> {
      const believedMoment = read.get('believed_moment') ?? 0
      const needsOperator = read.get('clock_needs_operator') === 1
      return { newestMoment: newestMoment(), doubt: believedMoment === 0 ? null : { believedMoment, needsOperator } }
    },
  }
}

/** On the writer's side: to be called inside a transaction. */
export function clockWrites(db: Connection, { leaveNotice }: { readonly leaveNotice: LeaveNotice }) {
  const set = db.prepare<[string, number]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const doubtIs = ({ believedMoment, needsOperator }: ClockDoubt): void => {
    set.run('believed_moment', believedMoment)
    set.run('clock_needs_operator', needsOperator ? 1 : 0)
  }
  return {
    keepClock(now: number, doubt: ClockDoubt | null): void {
      set.run('newest_moment', now)
      doubtIs(doubt ?? { believedMoment: 0, needsOperator: false })
    },
    acceptClock(now: number): void {
      doubtIs({ believedMoment: now, needsOperator: false })
      leaveNotice({ kind: 'clock_accepted' })
    },
  }
}

/** `newest_moment` follows what is stored. `set`: to whatever it says, where the clock itself has changed. */
export function newestMomentWrites(db: Connection) {
  const rise = db.prepare<[number, number]>("UPDATE meta SET value = ? WHERE key = 'newest_moment' AND value < ?")
  const set = db.prepare<[number]>("UPDATE meta SET value = ? WHERE key = 'newest_moment'")
  return { rise: (to: number): void => void rise.run(to, to), set: (to: number): void => void set.run(to) }
}
