import { Bucket } from '../../../core/pacing/bucket.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { HOUR, SECOND } from '../../../lib/durations.ts'
import type { Fields, Log } from '../../../ports/log.ts'

/**
 * Lines an hour of one message about one user or, without a user, one incident. All other lines share the second limit.
 */
const LINES_OF_ONE = 100
const LINES_OF_ALL = 3600
/** Distinct `once` values of a message and user that are each logged once an hour. */
const MAX_ONCE = 20
/** The most counts kept. */
const MAX_COUNTED = 10_000

type Count = {
  /** Lines that may still be written. */
  readonly lines: Bucket
  /** Lines suppressed since the last one written. */
  leftOut: number
  /** The `once` values logged within the hour, and when. */
  readonly once: Map<string, number>
}

/**
 * A log that no client can flood. Each message that clients can cause at will has a limited number of lines per hour
 * and user, and one per hour for each distinct `once` value. The next line reports in `leftOut` how many were
 * suppressed; counters count them all. `now`: epoch ms.
 */
export function rateLimitedLog(log: Log, now: () => number): Log {
  const counts = new BoundedMap<string, Count>(MAX_COUNTED)

  const countOf = (key: string, max: number, at: number): Count => {
    const count = counts.get(key) ?? { lines: new Bucket((max * SECOND) / HOUR, at, max), leftOut: 0, once: new Map() }
    counts.set(key, count)
    return count
  }

  const isNew = ({ once }: Count, thing: string, at: number): boolean => {
    const saidAt = once.get(thing)
    if (saidAt !== undefined && Math.abs(at - saidAt) < HOUR) return false
    for (const [other, when] of once) if (Math.abs(at - when) >= HOUR) once.delete(other)
    if (once.size >= MAX_ONCE) return false
    once.set(thing, at)
    return true
  }

  const limited =
    (level: keyof Log) =>
    (fields: Fields, message: string, once?: string): void => {
      const subject = fields.userId ?? fields.incidentId
      const at = now()
      const hasSubject = typeof subject === 'string'
      const count = countOf(
        hasSubject ? `${message}\n${subject}` : message,
        hasSubject ? LINES_OF_ONE : LINES_OF_ALL,
        at,
      )
      if (!count.lines.hasOne(at) || (once !== undefined && !isNew(count, once, at))) {
        count.leftOut += 1
        return
      }
      count.lines.spend(1)
      const { leftOut } = count
      count.leftOut = 0
      log[level](leftOut === 0 ? fields : { ...fields, leftOut }, message)
    }
  return { info: limited('info'), warn: limited('warn'), error: limited('error') }
}
