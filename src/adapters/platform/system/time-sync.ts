import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { DAY, MINUTE, SECOND } from '../../../lib/durations.ts'

/** systemd-timesyncd touches it whenever it has contacted a time server. */
const MARK = '/run/systemd/timesync/synchronized'
/** An older mark dates from before the clock was set. */
const MARK_IS_FRESH_MS = DAY
/** The system's answer about a clock other than ours proves nothing. */
const SAME_CLOCK_MS = MINUTE
const POLL_INTERVAL_MS = MINUTE
const TIMEOUT_MS = 5 * SECOND
const TIME = /^TimeUSec=\w+ (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/m

/**
 * Whether the system reports its clock as synchronised: by the mark of systemd-timesyncd, or by `timedatectl`, which
 * gets it from the kernel, where any other time service (chrony, ntpd) reports it. It only counts for a clock that
 * shows `now` (epoch ms). Never rejects; resolves to false if unknown.
 */
export function createTimeSync({ mark = MARK, timedatectl = 'timedatectl' } = {}): (now: number) => Promise<boolean> {
  let askAt = 0
  let answer: string | null = null
  const asked = async (): Promise<string | null> => {
    if (performance.now() < askAt) return answer
    askAt = performance.now() + POLL_INTERVAL_MS
    answer = await outputOf(timedatectl, ['show', '--property=NTPSynchronized', '--property=TimeUSec'])
    return answer
  }
  return async (now) => {
    const marked = await stat(mark)
      .then(({ mtimeMs }) => Math.abs(now - mtimeMs) <= MARK_IS_FRESH_MS)
      .catch(() => false)
    return marked || saysSo(await asked(), now)
  }
}

function saysSo(shown: string | null, now: number): boolean {
  const [, day, time] = TIME.exec(shown ?? '') ?? []
  const isSame = Math.abs(now - Date.parse(`${day}T${time}Z`)) <= SAME_CLOCK_MS + POLL_INTERVAL_MS
  return isSame && /^NTPSynchronized=yes$/m.test(shown ?? '')
}

function outputOf(program: string, args: readonly string[]): Promise<string | null> {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
  return new Promise((resolve) => {
    try {
      execFile(program, args, { env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout) =>
        resolve(error === null ? stdout : null),
      )
    } catch {
      // If no descriptor or process is left, the call itself throws.
      resolve(null)
    }
  })
}
