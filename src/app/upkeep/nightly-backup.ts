import { lastMomentAt } from '../../core/text/time-of-day.ts'
import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import { repeatedly } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'

/** A start has more urgent things to do. */
const FIRST_MS = 5 * MINUTE
const LOOK_MS = MINUTE
const RETRY_MS = HOUR
const OLD_AFTER_MS = 2 * DAY

/** `present`: one made before is in place. `afterFailure`: why `backup.after` failed, although the backup was made. */
type BackupResult =
  | { readonly madeAt: number; readonly bytes: number; readonly file: string; readonly afterFailure: string | null }
  | { readonly failed: string }
  | { readonly present: { readonly at: number; readonly bytes: number } }

type NightlyNeeds = {
  /** `03:10` */
  readonly at: string
  readonly timeZone: () => string
  /** Makes and checks one, unless one since `since` is in place. `mayPrune`: old ones make room. Never rejects. */
  readonly make: (
    given: { readonly mayPrune: boolean; readonly since: number },
    signal: AbortSignal,
  ) => Promise<BackupResult>
  /** When the store last had a note of a backup by anyone; null if it never had. */
  readonly notedAt: () => Promise<number | null>
  readonly isDateBelieved: () => boolean
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
}

export type BackupState = {
  readonly last: { readonly at: number; readonly bytes: number } | null
  /** Of the last try; null if it succeeded, or there was none since the start. */
  readonly failure: { readonly at: number; readonly reason: string; readonly isMade: boolean } | null
  /** When the next one is made, if it succeeds. */
  readonly nextAt: number
}

export type NightlyBackups = {
  start(): void
  state(): BackupState
  /** A sentence for the operator, or null. */
  concern(): string | null
  stop(): Promise<void>
}

/**
 * Makes a backup each day at a time of day. One that was missed, because the machine slept or a try failed, is made
 * later: soon after the start, and an hour after each failure. What lies in the directory decides whether one is due.
 * Only `make` looks there: a network file system that hangs must not hold up an alarm.
 */
export function nightlyBackups(needs: NightlyNeeds): NightlyBackups {
  const { at, timeZone, make, notedAt, isDateBelieved, clock, log, meter } = needs
  const stopping = new AbortController()
  const startedAt = clock.now()
  let last: BackupState['last'] = null
  let failure: BackupState['failure'] = null
  let triedAt: number | null = null
  let stop = () => Promise.resolve()

  const lastDue = (): number => lastMomentAt(at, { now: clock.now(), timeZone: timeZone() })

  /** A moment after now is of a clock that has been set back since: it proves nothing. */
  const isPast = (moment: number | null, since: number): boolean =>
    moment !== null && moment >= since && moment <= clock.now()

  const note = (result: BackupResult): void => {
    if ('present' in result) {
      last = result.present
      failure = null
      return
    }
    const reason = 'failed' in result ? result.failed : result.afterFailure
    failure = reason === null ? null : { at: clock.now(), reason, isMade: !('failed' in result) }
    if ('failed' in result) {
      meter.count('backups_total', { result: 'failed' })
      log.error({ reason }, 'THE BACKUP FAILED; those made before stay, and it is tried again in an hour')
      return
    }
    const { madeAt, bytes, file } = result
    last = { at: madeAt, bytes }
    meter.count('backups_total', { result: reason === null ? 'made' : 'after_failed' })
    if (reason === null) log.info({ file, bytes }, 'made and checked a backup')
    else log.error({ file, bytes, reason }, 'made and checked a backup, but what follows it failed')
  }

  /** A person has made one by hand since the failure. */
  const isMadeByHand = async (): Promise<boolean> => {
    const noted = failure === null ? null : await notedAt()
    return noted !== null && noted > failure!.at
  }

  const look = async (): Promise<void> => {
    const due = lastDue()
    const isWaiting = isPast(last?.at ?? null, due) || isPast(triedAt, clock.now() - RETRY_MS)
    if ((isWaiting && !(await isMadeByHand())) || stopping.signal.aborted) return
    triedAt = clock.now()
    const result = await make({ mayPrune: isDateBelieved(), since: due }, stopping.signal)
    // One cut short by a stop is made after the next start.
    if (!stopping.signal.aborted) note(result)
  }

  return {
    start() {
      stop = repeatedly(clock, FIRST_MS, async () => {
        await look().catch((error: unknown) => log.error({ err: error }, 'could not look after the backups'))
        return LOOK_MS
      })
    },
    state: () => ({ last, failure, nextAt: lastMomentAt(at, { now: lastDue() + 36 * HOUR, timeZone: timeZone() }) }),
    concern() {
      if (failure !== null) return `the last backup ${failure.isMade ? 'was made, but' : 'failed:'} ${failure.reason}`
      const since = last?.at ?? startedAt
      if (clock.now() - since <= OLD_AFTER_MS) return null
      return last === null
        ? 'no backup has been made since the service started, more than two days ago; see the log'
        : `the last backup is of ${new Date(last.at).toISOString()}, more than two days ago; see the log`
    },
    stop() {
      stopping.abort()
      return stop()
    },
  }
}
