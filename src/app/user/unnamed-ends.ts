import { DAY, HOUR, MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { CountedEnds, UnnamedEndsStore } from '../../ports/store.ts'

/** How long they are stored and shown: an old version of an app stays in use for weeks. */
export const UNNAMED_DAYS = 30
/** How often the counts are written to the store. */
const FLUSH_MS = MINUTE
/** How often other nodes' counts are read. */
const READ_MS = HOUR
/** The most applications named; beyond it, the text says that there are others. */
const MAX_NAMED = 5

export type UnnamedEndCount = {
  /** Counts an end without a name. */
  readonly note: (appId: string) => void
  /** For `/readyz`, which anyone may read: names no application. */
  readonly concern: () => string | null
  readonly stop: () => Promise<void>
}

/**
 * Counts ends without a name in memory, one number per application, and stores the counts behind everything else: a row
 * written by every end would make ends, and presses in the same commit, wait for each other on several nodes. A crash
 * loses a minute of the counts. rules.md#ends.
 */
export function countUnnamedEnds({
  store,
  clock,
  log,
}: {
  readonly store: UnnamedEndsStore
  readonly clock: Clock
  readonly log: Log
}): UnnamedEndCount {
  let counted = new Map<string, CountedEnds>()
  let said: string | null = null
  let isStopped = false
  let isArmed = false
  let working: Promise<void> = Promise.resolve()
  let cancel = () => {}
  let cancelFlush = () => {}

  const flush = async (): Promise<void> => {
    if (counted.size === 0) return
    const taken = counted
    counted = new Map()
    try {
      await store.addUnnamedEnds([...taken.values()])
    } catch (error) {
      log.warn({ err: error }, 'could not store how many ends named no alarm')
    }
  }
  const read = async (): Promise<void> => {
    try {
      said = concernOf((await unnamedSince(store, clock.now(), null)).length)
    } catch (error) {
      log.warn({ err: error }, 'could not read how many ends named no alarm')
    }
  }
  const work = (): void => {
    cancel()
    working = working.then(async () => {
      await flush()
      if (!isStopped) await read()
      if (!isStopped) cancel = clock.after(READ_MS, work)
    })
  }
  work()

  return {
    note(appId) {
      const day = Math.floor(clock.now() / DAY) * DAY
      const key = `${day} ${appId}`
      counted.set(key, { appId, day, count: (counted.get(key)?.count ?? 0) + 1 })
      if (isArmed || isStopped) return
      isArmed = true
      cancelFlush = clock.after(FLUSH_MS, () => {
        isArmed = false
        work()
      })
    },
    concern: () => said,
    async stop() {
      isStopped = true
      cancel()
      cancelFlush()
      await working
      await flush()
    },
  }
}

/** The applications with unnamed ends in the `UNNAMED_DAYS` before `now` (epoch ms): one more than can be named. */
const unnamedSince = (store: Pick<UnnamedEndsStore, 'unnamedEnds'>, now: number, appIds: readonly string[] | null) =>
  store.unnamedEnds(now - UNNAMED_DAYS * DAY, MAX_NAMED + 1, appIds)

/**
 * `ends_unnamed` with the names of the applications, for the operator; null: there are none. `appIds`: the operator's
 * applications; null: the whole site. Rejects like the store.
 */
export async function unnamedEndsConcern(
  store: Pick<UnnamedEndsStore, 'unnamedEnds'>,
  now: number,
  appIds: readonly string[] | null = null,
): Promise<string | null> {
  const found = await unnamedSince(store, now, appIds)
  const named = found.slice(0, MAX_NAMED).map(({ application, count }) => `${application}: ${count}`)
  return concernOf(found.length, [...named, ...(found.length > MAX_NAMED ? ['and others'] : [])].join(', '))
}

function concernOf(count: number, which = '`tocsin readiness` says which'): string | null {
  if (count === 0) return null
  const applications = count === 1 ? 'an application' : `${count > MAX_NAMED ? 'several' : count} applications`
  return `ends_unnamed: ${applications} sent ends that name no alarm in the last ${UNNAMED_DAYS} days (${which}): they count for 5 s only, and behind a proxy one that waited could end the next alarm; have the app send incidentId or alert (docs/integrating.md)`
}
