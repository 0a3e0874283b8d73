import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { Settings } from '../../core/settings.ts'
import { batchRunner, type Outcome, type Write } from './batch.ts'
import { type Connection, logOf, openWriter } from './connection.ts'
import { type Failure, failureOf } from './failure.ts'
import { reserveWatch } from './free-space.ts'
import { migrate } from './migrate.ts'
import { whyUnusable } from './unusable.ts'

/** What the writer thread is started with. */
export type WriterOptions = {
  readonly path: string
  readonly defaults: Settings
  readonly leaveNotices: boolean
  readonly diskReserveBytes: number
}

export type ToWriter = { readonly writes: readonly Write[] } | { readonly close: true }

/** `ready` or `unusable` once, an `outcome` for each batch in order; `fatal` at any time is the last message. */
export type FromWriter =
  | { readonly ready: true }
  | { readonly unusable: string }
  | { readonly outcome: Outcome }
  | { readonly fatal: Failure }

/**
 * Pages (of 4 KiB) that may stand in the log before they are copied into the database file. Trackers write the same pages again and again:
 * the longer the log, the fewer of them are copied.
 */
const LOG_PAGES = 8000

/**
 * The thread that owns the write connection. It commits one batch after the other, and copies the log into the database file between
 * them: after the answer, so that nobody waits for it who need not.
 */
async function write(options: WriterOptions, port: NonNullable<typeof parentPort>): Promise<void> {
  const say = (message: FromWriter): void => port.postMessage(message)
  let db: Connection
  try {
    db = await openWriter(options.path)
    migrate(db)
  } catch (error) {
    say({ unusable: whyUnusable(error, options.path) })
    port.close()
    return
  }
  const { defaults, leaveNotices, diskReserveBytes } = options
  const hasReserve = reserveWatch(dirname(options.path), diskReserveBytes)
  const runBatch = batchRunner(db, { defaults, leaveNotices, hasReserve })
  const log = logOf(db)

  const copyLog = (length: number): void => {
    try {
      if (log.length() > length) log.copy()
    } catch (error) {
      const failure = failureOf(error, db)
      // Anything else (no space, say) costs nothing that is committed: the log keeps it, and the next time may do.
      if (failure.fatal) say({ fatal: failure })
    }
  }

  port.on('message', (message: ToWriter) => {
    if ('close' in message) {
      copyLog(0)
      db.close()
      port.close()
      return
    }
    say({ outcome: runBatch(message.writes) })
    copyLog(LOG_PAGES)
  })
  say({ ready: true })
}

if (parentPort === null) throw new Error('the writer runs as a thread of the store')
await write(workerData as WriterOptions, parentPort)
