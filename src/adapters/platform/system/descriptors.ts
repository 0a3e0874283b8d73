import { readFileSync } from 'node:fs'

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
