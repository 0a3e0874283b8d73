import { isoAt } from '../../core/ingest/event-time.ts'
import { DRILL_COUNTS_MS } from '../../core/readiness/findings.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import { attention, failing, fine, type ProbeFinding } from './finding.ts'

const day = (at: number): string => isoAt(at).slice(0, 10)

function ago(ms: number): string {
  if (ms < 2 * HOUR) return `${Math.max(0, Math.round(ms / MINUTE))} min ago`
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h ago` : `${Math.round(ms / DAY)} days ago`
}

/** Two clocks that agree differ by less. */
const CLOCK_SLACK_MS = 5 * MINUTE
/** Of anything that happens at a moment later than now. */
const SET_BACK = 'the clock was ahead then, or has been set back since'
const BACKUP_OLD_MS = 2 * DAY
const MAKE_NOW = 'sudo tocsin backup --now; docs/backups.md'

export function judgeBackup({
  isOwn,
  lastAt,
  isOld,
  now,
}: {
  /** False: made with the tools of PostgreSQL, which Tocsin does not see. */
  readonly isOwn: boolean
  readonly lastAt: number | null
  readonly isOld: boolean
  readonly now: number
}): readonly ProbeFinding[] {
  if (!isOwn)
    return [fine("PostgreSQL's own tools make the backups, which Tocsin does not see: test that one can be restored")]
  const remedy = 'make one every night: docs/backups.md'
  if (lastAt === null) return [attention('no backup has been made yet', remedy)]
  const age = now - lastAt
  if (!(age >= -CLOCK_SLACK_MS)) {
    const when = Number.isFinite(lastAt) ? `of ${day(lastAt)}, which is in the future` : 'without a readable date'
    return [attention(`the last backup is ${when}: ${SET_BACK}`, `check the clock, then make one: ${MAKE_NOW}`)]
  }
  const says = `the last backup was made ${ago(age)}`
  return [isOld || age > BACKUP_OLD_MS ? attention(says, remedy) : fine(says)]
}

type RestoreFacts =
  | { readonly file: string; readonly madeAt: number; readonly files: number; readonly tookMs: number }
  | { readonly file: string; readonly failure: string }

/** `file`: the newest backup, or the directory where there is none. */
export function judgeRestore(facts: RestoreFacts): readonly ProbeFinding[] {
  const { file } = facts
  if ('failure' in facts) {
    const says = facts.failure.includes(file) ? facts.failure : `${file}: ${facts.failure}`
    return [failing(says, `make one now and test it again: ${MAKE_NOW}`)]
  }
  const { madeAt, files, tookMs } = facts
  const took = `${Math.ceil(tookMs / SECOND)} s`
  return [fine(`${file} of ${day(madeAt)} opens: ${files} files, and the database is sound (${took})`)]
}

/** A second failure in a row makes the service not ready. */
const FAILURES_THAT_COUNT = 2

/** So many are due without one that got through: the machine slept, or its clock was set. */
const LATE_RUNS = 3
const LATE = 'run it again after the next one; if none gets through, check the clock and the log'

type CanaryFacts =
  | 'off'
  | {
      readonly failuresInARow: number
      /** Null: none has yet since the start. */
      readonly passedAgoMs: number | null
      readonly everyMs: number
    }

export function judgeCanary(facts: CanaryFacts): readonly ProbeFinding[] {
  if (facts === 'off') {
    return [
      attention(
        'off: nothing proves that an SOS gets through',
        'set canary.everyMinutes, and a port for mqtts or mqtt',
      ),
    ]
  }
  const { failuresInARow, passedAgoMs, everyMs } = facts
  const remedy = 'docs/operating.md, Canary'
  const isAhead = passedAgoMs !== null && !(passedAgoMs >= -CLOCK_SLACK_MS)
  const last =
    passedAgoMs === null
      ? 'none has got through since the start'
      : isAhead
        ? `the last one is dated in the future: ${SET_BACK}`
        : `the last got through ${ago(passedAgoMs)}`
  if (failuresInARow >= FAILURES_THAT_COUNT) {
    return [failing(`the synthetic SOS failed ${failuresInARow} times in a row; ${last}`, remedy)]
  }
  if (failuresInARow > 0) return [attention(`the synthetic SOS has just failed; ${last}`, remedy)]
  if (isAhead) return [attention(last, 'check the clock; the next synthetic SOS proves the service anew')]
  if (passedAgoMs !== null && passedAgoMs > LATE_RUNS * everyMs) {
    return [attention(`${last}, and one is due every ${Math.round(everyMs / MINUTE)} min`, LATE)]
  }
  return [fine(passedAgoMs === null ? 'the first synthetic SOS follows a minute after the start' : last)]
}

export function judgeDrill({
  lastAt,
  now,
}: {
  /** Null: none that is still stored. */
  readonly lastAt: number | null
  readonly now: number
}): readonly ProbeFinding[] {
  const remedy = 'hold one: sudo tocsin drill start APP, or in the console'
  if (lastAt === null) return [attention('no exercise has been held', remedy)]
  const says = `the last exercise was on ${day(lastAt)}`
  return [now - lastAt > DRILL_COUNTS_MS ? attention(says, remedy) : fine(says)]
}

/** Enabled administrators of the whole site. `signedIn`: those who have signed in once. */
export function judgeAdministrators({
  signedIn,
  invited,
}: {
  readonly signedIn: number
  readonly invited: number
}): readonly ProbeFinding[] {
  if (signedIn > 1) return [fine(`${signedIn} can sign in`)]
  if (signedIn === 1) return [fine('one can sign in')]
  const remedy =
    'on a new site open the address that the start printed, or wrote to setup-link in the data directory; else: sudo tocsin operator add LOGIN --role admin'
  if (invited > 0)
    return [
      attention(
        'invited, but nobody has signed in yet',
        'open the link, or make a new one: sudo tocsin operator invite LOGIN',
      ),
    ]
  return [attention('nobody can sign in to the console as administrator', remedy)]
}
