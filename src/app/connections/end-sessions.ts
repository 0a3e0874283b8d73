import { type ClientSession, isTracker } from '../../core/account/session.ts'
import { nextTurn } from '../../lib/waits.ts'
import type { Log } from '../../ports/log.ts'
import type { AdmissionStore, Readmission } from '../../ports/store.ts'

/** The live connections of a broker. */
type LiveSessions = {
  /** Settles when every login that is being checked now has been refused or is among `sessions`. */
  decided(): Promise<void>
  sessions(): Iterable<ClientSession>
  closeWhere(predicate: (session: ClientSession) => boolean): number
}

type SessionEnd = {
  /** A change may have invalidated sessions of this application. Never waits, never fails. */
  end(appId: string): void
  /** Stops ending sessions. */
  close(): void
}

const AT_ONCE = 1000
const RETRY_MS = 500
/** A script that disables many users must not keep the database busy: checks take at most half of the time. */
const MAX_REST_MS = 500

/**
 * Closes the live connections of an application that would not be admitted again as they are: because it or the user
 * was disabled, their secret was retired, or the application's legacy topics were switched (access.md#sessions). Asks
 * about 1,000 sessions at a time, until it has an answer. If another change comes meanwhile, all sessions are checked
 * again.
 */
export function endSessions({
  store,
  live,
  log,
}: {
  readonly store: Pick<AdmissionStore, 'readmission'>
  readonly live: LiveSessions
  readonly log: Log
}): SessionEnd {
  /** The applications being checked; `isDue`: the check has to be repeated. */
  const checks = new Map<string, { isDue: boolean }>()
  let isFailing = false
  let isClosed = false

  const readmission = async (appId: string, userIds: readonly string[]): Promise<Readmission | null> => {
    for (;;) {
      try {
        const found = await store.readmission(appId, userIds)
        if (isFailing) log.info({}, 'sessions can be checked again')
        isFailing = false
        return found
      } catch (error) {
        if (isClosed) throw error
        if (!isFailing) log.error({ err: error }, 'cannot check which sessions have to end; trying again')
        isFailing = true
        await pause(RETRY_MS)
      }
    }
  }

  const checkAll = async (appId: string): Promise<void> => {
    const sessions = [...live.sessions()].filter((session) => session.appId === appId)
    for (let at = 0; at < sessions.length && !isClosed; at += AT_ONCE) {
      const some = sessions.slice(at, at + AT_ONCE)
      const admitted = await readmission(appId, [...new Set(some.map(({ userId }) => userId))])
      const ended = new Set(some.filter((session) => !mayStay(session, admitted)))
      if (ended.size > 0) live.closeWhere((session) => ended.has(session))
      await nextTurn()
    }
  }

  const check = async (appId: string): Promise<void> => {
    const state = { isDue: true }
    checks.set(appId, state)
    try {
      // Changes within this event-loop turn share the first check.
      await nextTurn()
      while (state.isDue && !isClosed) {
        state.isDue = false
        const startedAt = performance.now()
        await checkAll(appId)
        await pause(Math.min(MAX_REST_MS, performance.now() - startedAt))
      }
    } finally {
      checks.delete(appId)
    }
  }

  const want = (appId: string): void => {
    const running = checks.get(appId)
    if (running !== undefined) running.isDue = true
    else if (!isClosed)
      check(appId).catch((error) => !isClosed && log.error({ err: error }, 'could not check sessions'))
  }

  return {
    end(appId) {
      want(appId)
      // A login found admissible just before the change would otherwise enter unnoticed just after it.
      void live.decided().then(() => want(appId))
    },
    close() {
      isClosed = true
    },
  }
}

/** Whether a session would be admitted again as it is. Rejects with a StoreError. */
export const readmits =
  (store: Pick<AdmissionStore, 'readmission'>) =>
  async (session: ClientSession): Promise<boolean> =>
    mayStay(session, await store.readmission(session.appId, [session.userId]))

function mayStay(session: ClientSession, admitted: Readmission | null): boolean {
  if (admitted === null || !admitted.userIds.has(session.userId)) return false
  // Its token is checked with every report.
  if (isTracker(session)) return true
  if (admitted.legacy !== session.legacy) return false
  const { secretId, appDeviceId } = session
  if (secretId !== null) return admitted.secretIds.has(secretId)
  return appDeviceId !== undefined && admitted.appDeviceIds.has(appDeviceId)
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref())
