import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import type { ClockStore } from '../../ports/clock-store.ts'
import { type By, rowBy } from './by.ts'

/** The operator confirms that the clock is right. keeping.md#clock. */
export const acceptClock = (store: Pick<ClockStore, 'acceptClock'>, by: By): Promise<void> =>
  store.acceptClock(by.now, rowBy(by, { action: 'clock.accept' }))

/** The clock of the service as an administrator sees and confirms it. */
export const clockKeeping = ({
  store,
  clock,
  calendar,
}: {
  readonly store: Pick<ClockStore, 'clockRecord' | 'acceptClock'>
  readonly clock: { now(): number }
  readonly calendar: { isBelieved(): boolean; accept(): void }
}) => ({
  async shown() {
    const { newestMoment, doubt } = await store.clockRecord()
    return {
      now: isoAt(clock.now()),
      believed: calendar.isBelieved(),
      newestMoment: isoOrNull(newestMoment === 0 ? null : newestMoment),
      measuredBy: isoOrNull(doubt?.believedMoment ?? null),
    }
  },

  /** Takes effect here at once; other nodes get a notice. */
  async accept(by: By): Promise<{ readonly accepted: string }> {
    await acceptClock(store, by)
    calendar.accept()
    return { accepted: isoAt(by.now) }
  },
})
