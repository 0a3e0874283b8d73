import { execFile } from 'node:child_process'
import { SECOND } from '../../../lib/durations.ts'
import { oneAtATime } from '../../../lib/waits.ts'
import type { Log } from '../../../ports/log.ts'

/** Messages to systemd, named as in sd_notify(3). */
type NotifyMessage = 'READY=1' | 'STOPPING=1' | 'WATCHDOG=1' | `STATUS=${string}`

export type NotifySocket = {
  /**
   * Resolves when the service manager has accepted the message, or cannot be reached. Never rejects; messages keep
   * their order.
   */
  tell(...messages: readonly NotifyMessage[]): Promise<void>
  /** The longest interval between two `WATCHDOG=1`, in ms; null if the service manager does not watch this process. */
  readonly watchdogMs: number | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** `systemd-notify` waits at most 5 s for its message to be accepted. */
const TIMEOUT_MS = 8 * SECOND

/**
 * The service manager that started this process, reached through `systemd-notify` (ADR 0010). Does nothing if
 * `NOTIFY_SOCKET` is not set.
 */
export function createNotifySocket(env: Environment, log: Log): NotifySocket {
  if (!env.NOTIFY_SOCKET) return { tell: async () => {}, watchdogMs: null }
  const tell = oneAtATime((...messages: NotifyMessage[]) => send(messages, env, log))
  return { tell, watchdogMs: watchdogOf(env) }
}

function send(messages: readonly NotifyMessage[], env: Environment, log: Log): Promise<void> {
  const options = { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    try {
      execFile('systemd-notify', messages, options, (error) => {
        if (error !== null) complain(error)
        resolve()
      })
    } catch (error) {
      // If no descriptor or process is left, the call itself throws.
      complain(error)
      resolve()
    }
  })

  function complain(error: unknown): void {
    log.error({ code: (error as NodeJS.ErrnoException).code }, 'could not report the service’s status to systemd')
  }
}

/** sd_watchdog_enabled(3): in microseconds, and only for the named process. */
function watchdogOf({ WATCHDOG_USEC, WATCHDOG_PID }: Environment): number | null {
  const ms = Number(WATCHDOG_USEC) / 1000
  const isMeant = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid)
  return isMeant && ms > 0 ? ms : null
}
