import { readFileSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** Of a machine that sets no limit, for the service: the rest is for the system, and for what else runs there. */
const SHARE_OF_MACHINE = 0.75

/**
 * How much memory this process may use, in bytes: the limit that is set for it (a control group, as by systemd's
 * MemoryMax or a container), else three quarters of the machine's.
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
 * How many files and connections this process may have open; Node has already raised it to the hard limit. 1,024 if the
 * system has no Linux-style limits file.
 */
export function descriptorLimit(path = '/proc/self/limits'): number {
  try {
    const limit = /^Max open files +(\d+|unlimited)/m.exec(readFileSync(path, 'utf8'))?.[1]
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit ?? USUAL_LIMIT)
  } catch {
    return USUAL_LIMIT
  }
}

/** Of -1000 to 1000: as if the process used half of the machine's memory more than it does (proc(5)). */
const ENDS_FIRST = 500

/**
 * Has the kernel end this process before the service where memory runs out: a backup can be made again. Any process may
 * raise its own value. Without such a file, or the right to write it, everything stays as it is.
 */
export function endsFirst(file = '/proc/self/oom_score_adj'): void {
  try {
    if (Number(readFileSync(file, 'utf8')) < ENDS_FIRST) writeFileSync(file, String(ENDS_FIRST))
  } catch {
    // Not on Linux.
  }
}
