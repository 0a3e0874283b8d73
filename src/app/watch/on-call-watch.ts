import { ALL_APPLICATIONS, type OnCall } from '../../core/account/on-call.ts'
import { onCallFindingCodes, onCallFindings, onCallSentence } from '../../core/account/on-call-findings.ts'
import { type Grant, roles } from '../../core/operator/role.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { OnCallStore } from '../../ports/store.ts'

/** How often the list is read, which another node or the command line may change. */
const READ_MS = 5 * MINUTE
/** How often open boards are noted in the store: well within the time that a board counts as open. */
const NOTE_MS = 30 * SECOND

export type OnCallWatch = {
  /** An operator with this grant has the board open now. */
  readonly watched: (grant: Grant) => void
  /** The list, or an account, was changed here. */
  readonly changed: () => void
  /** Faults of the list, in sentences for the operator. */
  readonly concerns: () => readonly string[]
  /** For each kind of problem 1 or 0. */
  readonly findings: () => Readonly<Record<string, number>>
  readonly stop: () => Promise<void>
}

/**
 * Tells alarms whether an operator has the board open, and the site the faults of its on-call list. Without a
 * list it writes nothing. rules.md#on-call.
 */
export function watchOnCall({
  store,
  clock,
  log,
}: {
  readonly store: Pick<OnCallStore, 'onCall' | 'noteBoardWatched'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}): OnCallWatch {
  let list: OnCall | null = null
  let open = new Set<string>()
  let notedAt = Number.NEGATIVE_INFINITY
  let isStopped = false
  let cancel = () => {}
  let working: Promise<void> = Promise.resolve()

  const read = async (): Promise<void> => {
    try {
      list = await store.onCall()
    } catch (error) {
      log.warn({ err: error }, 'could not read who is on call')
    }
  }
  const work = (): void => {
    cancel()
    working = working.then(read).then(() => {
      cancel()
      if (!isStopped) cancel = clock.after(READ_MS, work)
    })
  }
  work()

  return {
    watched({ role, applications }) {
      // Only those who may take an alarm count.
      if (isStopped || list === null || roles.indexOf(role) < roles.indexOf('operator')) return
      for (const scope of applications ?? [ALL_APPLICATIONS]) open.add(scope)
      const now = clock.now()
      if (Math.abs(now - notedAt) < NOTE_MS) return
      notedAt = now
      const scopes = [...open]
      open = new Set()
      void store
        .noteBoardWatched(scopes, now)
        .catch((error) => log.warn({ err: error }, 'could not note that a board is open'))
    },
    changed: work,
    concerns: () => onCallFindings(list, clock.now()).map(onCallSentence),
    findings() {
      const found = onCallFindings(list, clock.now())
      return Object.fromEntries(
        onCallFindingCodes.map((code) => [
          code.replace('on_call_', ''),
          found.some((one) => one.code === code) ? 1 : 0,
        ]),
      )
    },
    async stop() {
      isStopped = true
      cancel()
      await working
    },
  }
}
