import { readdirSync, readFileSync } from 'node:fs'
import { TICKS_PER_SECOND } from './machine.ts'

/** Processor seconds, or microseconds a message, by what the threads do. */
export type ByThread = Readonly<Record<string, number>>

/** The kernel's name of a thread (at most 15 characters), and its role. Node names its own, `src/` the rest. */
const roles: readonly (readonly [name: RegExp, role: string])[] = [
  [/^store writer$/, 'writer'],
  [/^store check/, 'checkpoints'],
  [/^store figures$/, 'figures'],
  [/^V8Worker$/, 'GC helpers'],
]

/** The first thread of a process is its main thread, whatever its name. */
const roleOf = (name: string, isFirst: boolean): string =>
  isFirst ? 'main' : (roles.find(([pattern]) => pattern.test(name))?.[1] ?? 'others')

/** The name and the processor seconds in a line of /proc/PID/task/TID/stat. */
export function readThread(stat: string): { readonly name: string; readonly seconds: number } {
  // The name, in parentheses, may contain anything.
  const nameEnd = stat.lastIndexOf(')')
  const fields = stat.slice(nameEnd + 2).split(' ')
  return {
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  }
}

/**
 * What each kind of thread of a process has used; null if the system does not report it (only Linux does). Threads
 * that have ended are missing.
 */
export function threadSecondsOf(pid: number): ByThread | null {
  const seconds: Record<string, number> = {}
  try {
    for (const id of readdirSync(`/proc/${pid}/task`)) {
      const thread = readThread(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8'))
      const role = roleOf(thread.name, id === String(pid))
      seconds[role] = (seconds[role] ?? 0) + (exactSeconds(`/proc/${pid}/task/${id}/schedstat`) ?? thread.seconds)
    }
    return seconds
  } catch {
    return null
  }
}

/** In nanoseconds, where ticks of 10 ms are much of a short run; null if the kernel does not count them. */
function exactSeconds(schedstat: string): number | null {
  try {
    return Number(readFileSync(schedstat, 'utf8').split(' ', 1)[0]) / 1e9
  } catch {
    return null
  }
}

/** What they used between two looks, a message, in microseconds. */
export const microsBetween = (before: ByThread, after: ByThread, messages: number): ByThread =>
  Object.fromEntries(
    Object.entries(after).map(([role, seconds]) => [
      role,
      Math.max(0, (seconds - (before[role] ?? 0)) * 1e6) / messages,
    ]),
  )
