import type { Statement } from 'better-sqlite3'
import type { Log } from '../../ports/log.ts'
import type { Notice } from '../../ports/store.ts'

const LOOK_MS = 500
/** Long after any service has read them. */
const KEEP_MS = 60_000

type NoticeReads = {
  readonly notices: Statement<[number], { seq: number; notice: string }>
  readonly lastNotice: Statement
}

/** Looks for what other processes have done, from now on. Returns how to stop. */
export function watchNotices(
  { notices, lastNotice }: NoticeReads,
  listener: (notice: Notice) => void,
  forget: (before: number) => Promise<void>,
  log: Log,
): () => void {
  let seen = lastNotice.get() as number
  const look = () => {
    try {
      const rows = notices.all(seen)
      for (const { seq, notice } of rows) {
        seen = seq
        listener(JSON.parse(notice))
      }
      if (rows.length > 0) forget(Date.now() - KEEP_MS).catch((error) => log.warn({ err: error }, 'old notices stay'))
    } catch (error) {
      log.error({ err: error }, 'notices of other processes could not be read')
    }
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return () => clearInterval(timer)
}
