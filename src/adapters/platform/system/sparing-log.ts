import { HOUR } from '../../../lib/durations.ts'
import type { Fields, Log } from '../../../ports/log.ts'

/**
 * Lines of one message an hour about one user or, where none is named, one incident. The others are about everybody.
 */
const LINES_OF_ONE = 100
const LINES_OF_ALL = 3600
/** Things of a message and user that are said once an hour. */
const MAX_ONCE = 20
/** Messages and users that are counted at a time. */
const MAX_COUNTED = 10_000

type Count = {
  /** Lines that may still be written. */
  left: number
  /** When `left` was right, epoch ms. */
  at: number
  /** Lines that were not written since the last one. */
  leftOut: number
  /** What was said within the hour, and when. */
  readonly once: Map<string, number>
}

/**
 * A log that nobody fills: of what can be caused at will, each message has a bounded number of lines an hour for every
 * user, and one an hour for each thing (`once`) that is said of it. The next line tells in `leftOut` how many were not
 * written; counters count them all. `now`: epoch ms.
 */
export function sparingLog(log: Log, now: () => number): Log {
  const counts = new Map<string, Count>()

  const countOf = (key: string, max: number, at: number): Count => {
    const known = counts.get(key)
    const count = known ?? { left: max, at, leftOut: 0, once: new Map() }
    // A clock that is set back refills nothing, and takes nothing.
    count.left = Math.min(max, count.left + (Math.max(0, at - count.at) * max) / HOUR)
    count.at = at
    // The one that was used longest ago is forgotten first.
    counts.delete(key)
    counts.set(key, count)
    if (counts.size > MAX_COUNTED) counts.delete(counts.keys().next().value!)
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

  const sparing =
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
      if (count.left < 1 || (once !== undefined && !isNew(count, once, at))) {
        count.leftOut += 1
        return
      }
      count.left -= 1
      const { leftOut } = count
      count.leftOut = 0
      log[level](leftOut === 0 ? fields : { ...fields, leftOut }, message)
    }
  return { info: sparing('info'), warn: sparing('warn'), error: sparing('error') }
}
