import { execFile } from 'node:child_process'
import { DAY, MINUTE, SECOND } from '../../../lib/durations.ts'
import { repeatedly } from '../../../lib/waits.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { KEPT_MS } from './answer-codes.ts'
import type { ModemReport, ModemState } from './modem-state.ts'
import { type Spool, type SpoolFile, spoolFault } from './spool.ts'

const CHECK_MS = 30 * SECOND
const MONITOR_TIMEOUT_MS = 5 * SECOND
/** A reply that the daemon has not sent by then would only confuse its reader. */
const STALE_REPLY_MS = 10 * MINUTE
/** The most files kept, for answers and reports, and for the operator. The oldest are removed first. */
const MAX_SENT = 5000
const ERROR_DAYS_MS = 7 * DAY
const MAX_ERRORS = 500
/** A hidden file older than this is no longer being added or withdrawn. */
const HIDDEN_MS = MINUTE
/** The most files removed from each folder in one sweep, so that it never takes long. */
const MAX_REMOVED = 200

type ModemWatchNeeds = {
  readonly spool: Pick<Spool, 'prove' | 'list' | 'remove' | 'removeHidden'>
  readonly state: ModemState
  /** Asks gammu-smsd; null if its configuration is not readable. */
  readonly report: (() => Promise<ModemReport>) | null
  /** Whether a text may still be answered, however old its name says it is. */
  readonly isAwaited: (attemptId: string) => Promise<boolean>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
}

/**
 * Checks every 30 s whether texts could leave, and removes files that are no longer needed. Resolves after the first
 * check with a function that ends it. Never rejects.
 */
export async function watchModem(needs: ModemWatchNeeds): Promise<() => void> {
  const { state, clock, log } = needs
  let told: string | null = null
  const look = async (): Promise<number> => {
    await check(needs)
    const trouble = state.trouble()
    if (trouble !== null && trouble !== told) log.warn({}, trouble)
    if (trouble === null && told !== null) log.info({}, 'SMS modem: texts leave again')
    told = trouble
    return CHECK_MS
  }
  const stop = repeatedly(clock, await look(), look)
  return () => void stop()
}

async function check({ spool, state, report, isAwaited, clock, log }: ModemWatchNeeds): Promise<void> {
  try {
    await spool.prove()
    const [outbox, sent, errors] = await Promise.all([spool.list('outbox'), spool.list('sent'), spool.list('error')])
    state.spoolFault = null
    state.queued = outbox.length
    const now = clock.now()
    const stale = outbox.filter(({ precedence, claimedAt }) => precedence === 'D' && now - claimedAt > STALE_REPLY_MS)
    const old = [...outdated(sent, now - KEPT_MS, MAX_SENT), ...outdated(errors, now - ERROR_DAYS_MS, MAX_ERRORS)]
    await spool.removeHidden(Date.now() - HIDDEN_MS)
    for (const one of stale.slice(0, MAX_REMOVED)) await spool.remove(one)
    for (const { file, isOneTooMany } of old) {
      // A machine without a battery-backed clock starts years back and then jumps: a text just sent then looks old.
      if (isOneTooMany || !(await isAwaited(file.attemptId))) await spool.remove(file)
    }
  } catch (error) {
    state.spoolFault = spoolFault(error)
    log.warn({ err: error }, 'could not use the spool of the SMS modem')
  }
  if (report !== null) state.report = await report()
}

type Outdated = { readonly file: SpoolFile; readonly isOneTooMany: boolean }

/** The files from before `since`, and the oldest beyond `max`. Oldest first. */
function outdated(files: readonly SpoolFile[], since: number, max: number): readonly Outdated[] {
  return files
    .toSorted((a, b) => b.claimedAt - a.claimedAt)
    .map((file, place) => ({ file, isOneTooMany: place >= max }))
    .filter(({ file, isOneTooMany }) => isOneTooMany || file.claimedAt < since)
    .toReversed()
    .slice(0, MAX_REMOVED)
}

/**
 * Asks the daemon through the program that comes with it. `config`: the file of gammu-smsdrc(5). The daemon counts as
 * stopped if the program says so; without the program, or without the right to read the file, nothing is known.
 */
export const askDaemon =
  (config: string, log: Log) =>
  (program = 'gammu-smsd-monitor'): Promise<ModemReport> => {
    const args = ['-C', '-n', '1', '-d', '0', '-c', config]
    const env = { PATH: process.env.PATH, LC_ALL: 'C' }
    return new Promise((resolve) => {
      execFile(program, args, { env, timeout: MONITOR_TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, out, err) => {
        // A machine too busy to answer in time says nothing about the daemon.
        const isKnown = error === null || (typeof error.code === 'number' && !/read config/i.test(err))
        if (!isKnown) log.warn({ err: error }, 'could not ask gammu-smsd for signal and state')
        resolve(isKnown ? reportOf(error === null ? out : null) : { isRunning: true, signal: null })
      })
    })
  }

/** `Client;PhoneID;IMEI;IMSI;Sent;Received;Failed;Battery;Signal`, signal in percent; -1 or nothing if unknown. */
export function reportOf(shown: string | null): ModemReport {
  const fields = shown?.trim().split('\n').at(-1)?.split(';') ?? []
  if (fields.length < 9) return { isRunning: false, signal: null }
  const signal = Number(fields[8])
  return { isRunning: true, signal: Number.isInteger(signal) && signal >= 0 && signal <= 100 ? signal : null }
}
