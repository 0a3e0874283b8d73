import { readFileSync, writeFileSync } from 'node:fs'

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
