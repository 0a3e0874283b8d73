import { deviceKeyOf } from '../../core/ingest/device-key.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Hearing, SilenceStore } from '../../ports/store.ts'

/** How often devices are written to the store: all of them, and any one of them. */
const FLUSH_MS = MINUTE
const REWRITE_MS = 5 * MINUTE
/** Rows of one write: a millisecond or two of the writer, after everything else. */
const BATCH = 200
/** Devices in memory. Further ones are ignored until others have been quiet for a while. */
const MAX_DEVICES = 100_000

type Entry = { readonly appId: string; readonly hardwareId: string; heardAt: number; keptAt: number | null }

/** Notes that a paired device was heard. */
export type NoteHeard = (appId: string, hardwareId: string) => void

/**
 * Records in memory which devices were heard from, and writes that every few minutes in the lane of telemetry, so that
 * a report needs no extra write. A crash loses minutes of a silence that is measured in hours. devices.md#silence.
 */
export function heardDevices({
  store,
  clock,
  log,
}: {
  readonly store: Pick<SilenceStore, 'noteHeard'>
  readonly clock: Clock
  readonly log: Log
}): { readonly note: NoteHeard; readonly stop: () => Promise<void> } {
  const heard = new Map<string, Entry>()
  let isStopped = false
  let isArmed = false
  let flushing: Promise<void> = Promise.resolve()
  let cancel = () => {}

  const keep = async (entries: readonly Entry[]): Promise<void> => {
    const hearings: readonly Hearing[] = entries.map(({ appId, hardwareId, heardAt }) => ({
      appId,
      hardwareId,
      heardAt,
    }))
    await store.noteHeard(hearings)
    for (const [n, entry] of entries.entries()) entry.keptAt = hearings[n]!.heardAt
  }

  const flush = async (isLast: boolean): Promise<void> => {
    const now = clock.now()
    const due: Entry[] = []
    for (const [key, entry] of heard) {
      const isRecent = entry.keptAt !== null && Math.abs(now - entry.keptAt) < REWRITE_MS
      if (entry.heardAt === entry.keptAt) {
        if (!isRecent) heard.delete(key)
      } else if (isLast || !isRecent) due.push(entry)
    }
    for (let at = 0; at < due.length; at += BATCH) await keep(due.slice(at, at + BATCH))
  }

  const flushed = (isLast = false): Promise<void> =>
    flush(isLast).catch((error) =>
      log.warn({ err: error }, 'could not store which devices were heard from; trying again'),
    )

  const arm = (): void => {
    isArmed = !isStopped && heard.size > 0
    if (!isArmed) return
    cancel = clock.after(FLUSH_MS, () => {
      flushing = flushed().then(arm)
    })
  }

  return {
    note(appId, hardwareId) {
      const key = `${appId} ${deviceKeyOf(hardwareId)}`
      const known = heard.get(key)
      if (known !== undefined) known.heardAt = clock.now()
      else if (heard.size < MAX_DEVICES) heard.set(key, { appId, hardwareId, heardAt: clock.now(), keptAt: null })
      if (!isArmed) arm()
    },
    async stop() {
      isStopped = true
      cancel()
      await flushing
      await flushed(true)
    },
  }
}
