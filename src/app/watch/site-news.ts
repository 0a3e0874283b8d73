import { BoundedMap } from '../../lib/bounded-map.ts'
import { DAY, MINUTE } from '../../lib/durations.ts'
import { repeatedly } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OperatorMail } from '../../ports/operator-mail.ts'

const LOOK_MS = MINUTE
/** Restarts and short faults are no news. */
const STANDS_MS = 5 * MINUTE
/** A warning that comes back is told again after a day, one that stands after a week. */
const BACK_MS = DAY
const STILL_MS = 7 * DAY
/** Far more than the sentences that a site can have at a time. */
const MAX_WARNINGS = 200

type Standing = { readonly since: number; readonly isGone: boolean; readonly toldAt: number | null }

type Needs = {
  readonly mail: OperatorMail
  /** The reasons why this node is not ready, as in `/readyz`. Never rejects. */
  readonly readiness: () => Promise<readonly string[]>
  /** Faults that do not stop alarms, as in `/readyz`, and deadlines that are near. */
  readonly concerns: () => readonly string[]
  /** Whether no other node tells the concerns, which are those of the site. */
  readonly mayTell: () => boolean
  /** The name of this node, among several. */
  readonly node: string | null
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
}

/**
 * Mails the administrators when this node is not ready for five minutes, when it is ready again, and when a concern of
 * the site stands as long. Returns a function that ends it. access.md#operator-mail.
 */
export function watchSite({ mail, readiness, concerns, mayTell, node, clock, log }: Needs): () => Promise<void> {
  const where = node === null ? '' : `Node ${node}: `
  const warnings = new BoundedMap<string, Standing>(MAX_WARNINGS)
  let badSince: number | null = null
  let isTold = false
  let isStopped = false

  const lookAtReadiness = async (now: number): Promise<void> => {
    const reasons = await readiness()
    if (isStopped) return
    if (reasons.length === 0) {
      if (isTold && badSince !== null) mail(`${where}ready again`, `After ${minutes(now - badSince)}.`)
      ;[badSince, isTold] = [null, false]
      return
    }
    badSince ??= now
    if (isTold || now - badSince < STANDS_MS) return
    isTold = true
    mail(
      `${where}NOT READY for ${minutes(now - badSince)}`,
      `Alarms may fail: ${reasons.join('; ')}. Run: tocsin doctor`,
    )
  }

  const lookAtConcerns = (now: number): void => {
    const standing = new Map(concerns().map((sentence) => [keyOf(sentence), sentence]))
    for (const [key, known] of [...warnings]) {
      if (!standing.has(key) && !known.isGone) warnings.set(key, { ...known, isGone: true })
    }
    for (const [key, sentence] of standing) {
      const known = warnings.get(key) ?? { since: now, isGone: false, toldAt: null }
      const one = known.isGone ? { ...known, since: now, isGone: false } : known
      const isNew = one.toldAt === null || one.since > one.toldAt
      const restMs = one.toldAt === null ? 0 : isNew ? BACK_MS : STILL_MS
      const isRested = one.toldAt === null || now - one.toldAt >= restMs
      const isDue = now - one.since >= STANDS_MS && isRested && mayTell()
      if (isDue) mail('a warning', sentence)
      warnings.set(key, isDue ? { ...one, toldAt: now } : one)
    }
  }

  const stop = repeatedly(clock, LOOK_MS, async () => {
    const now = clock.now()
    try {
      lookAtConcerns(now)
      await lookAtReadiness(now)
    } catch (error) {
      log.error({ err: error }, 'could not look for news of the site')
    }
    return LOOK_MS
  })
  return () => {
    isStopped = true
    return stop()
  }
}

/** Sentences differ in their numbers from look to look. */
const keyOf = (sentence: string): string => sentence.replace(/\d+/g, '#')

const minutes = (ms: number): string => `${Math.max(1, Math.round(ms / MINUTE))} min`
