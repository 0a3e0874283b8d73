import { readFileSync } from 'node:fs'

/** What most systems allow a process that nobody allowed more. */
const USUAL_LIMIT = 1024

/**
 * How many files and connections this process may have open at once; node has raised it to the hard limit already.
 * Where the system does not tell as Linux does, the usual 1,024.
 */
export function descriptorLimit(path = '/proc/self/limits'): number {
  try {
    const limit = /^Max open files +(\d+|unlimited)/m.exec(readFileSync(path, 'utf8'))?.[1]
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit ?? USUAL_LIMIT)
  } catch {
    return USUAL_LIMIT
  }
}
