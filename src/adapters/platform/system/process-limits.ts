import { readFileSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** The service's share of a machine without a limit: the rest is for the system and other programs. */
const SHARE_OF_MACHINE = 0.75

/**
 * The memory that this process may use, in bytes: the limit set for it (a control group, as by systemd's MemoryMax or a
 * container), else three quarters of the machine's memory.
 */
export function memoryLimit(
  { limit, machine }: { readonly limit: number; readonly machine: number } = {
    limit: process.constrainedMemory(),
    machine: totalmem(),
  },
): number {
  // Without a limit, the system reports 0 or more than the machine has.
  return limit > 0 && limit < machine ? limit : Math.floor(machine * SHARE_OF_MACHINE)
}

/** The default limit of most systems. */
const USUAL_LIMIT = 1024

/**
 * The number of files and connections that this process may have open; Node has already raised it to the hard limit.
 * 1,024 if the system has no Linux-style limits file.
 */
export function descriptorLimit(path = '/proc/self/limits'): number {
  try {
    const limit = /^Max open files +(\d+|unlimited)/m.exec(readFileSync(path, 'utf8'))?.[1]
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit ?? USUAL_LIMIT)
  } catch {
    return USUAL_LIMIT
  }
}

/** On the scale from -1000 to 1000, this counts as another half of the machine's memory in use (proc(5)). */
const ENDS_FIRST = 500

/**
 * Makes the kernel kill this process before the service if memory runs out: a backup can be repeated. Any process may
 * raise its own value. Without such a file, or the right to write it, nothing changes.
 */
export function endsFirst(file = '/proc/self/oom_score_adj'): void {
  try {
    if (Number(readFileSync(file, 'utf8')) < ENDS_FIRST) writeFileSync(file, String(ENDS_FIRST))
  } catch {
    // Not on Linux.
  }
}
