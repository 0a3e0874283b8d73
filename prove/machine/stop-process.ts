import { readdirSync, readFileSync } from 'node:fs'
import { until } from '../../test/harness/wait.ts'

/** Stopped, dead, or in a system call from which it will not return while it is stopped. */
const STILL = /^[TtXZD]/

/** Stops a process, and settles when none of its threads can run any more. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await until('every thread is stopped', () => readdirSync(`/proc/${pid}/task`).every((task) => isStill(pid, task)))
}

function isStill(pid: number, task: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
    // The state follows the name, which is in parentheses and may contain anything.
    return STILL.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}
