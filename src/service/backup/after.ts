import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { HOUR } from '../../lib/durations.ts'

const MAX_TOLD = 300
/** How long its last words may take, which can arrive after its end. */
const WORDS_MS = 1000
/** Settings, secrets, and the way to tell the service manager that the service is ready or stops. */
const NOT_FOR_IT = /^(TOCSIN_.*|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|WATCHDOG_.*)$/

/**
 * Runs `backup.after`, without a shell, with the file's path as its last argument and none of our settings in its
 * environment. Resolves with the reason if it failed, or null.
 */
export async function runAfter(
  command: readonly string[] | null,
  file: string,
  { timeoutMs = HOUR }: { readonly timeoutMs?: number } = {},
): Promise<string | null> {
  const [program, ...args] = command ?? []
  if (program === undefined) return null
  const why = await ended(program, [...args, file], timeoutMs)
  return why === null ? null : `${program} (backup.after) ${why}`
}

async function ended(program: string, args: readonly string[], timeoutMs: number): Promise<string | null> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_FOR_IT.test(name)))
  // A group of its own, so that its children end with it.
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_TOLD)
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child.pid)
    // A process that left the group may hold it open.
    child.stderr.destroy()
  }, timeoutMs)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    if (isLate) return `did not end within ${Math.round(timeoutMs / 1000)} s and was killed`
    if (code === 0) return null
    // Does not wait for its end in any case: a child may hold it open.
    await finished(child.stderr, { signal: AbortSignal.timeout(WORDS_MS) }).catch(() => {})
    const last = said.trim().split('\n').at(-1)?.trim() ?? ''
    return `ended with ${signal ?? `exit code ${code}`}${last === '' ? '' : `: ${last.replace(/\p{Cc}/gu, ' ')}`}`
  } catch (error) {
    return `could not be started (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`
  } finally {
    clearTimeout(timer)
    child.stderr.destroy()
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
