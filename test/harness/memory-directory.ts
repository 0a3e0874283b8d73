import { readFileSync, statfsSync } from 'node:fs'

const PLACE = '/dev/shm'
const NEEDED_BYTES = 4 * 1024 ** 3

/**
 * A directory in memory that has room for what all tests write at once, and where programs may run. Null if the machine
 * has none, or `TMPDIR` says where directories go.
 */
export function memoryDirectory(): string | null {
  if (process.env.TMPDIR !== undefined) return null
  try {
    const options = new RegExp(`^\\S+ ${PLACE} tmpfs (\\S+)`, 'm').exec(readFileSync('/proc/mounts', 'utf8'))?.[1]
    if (options === undefined || options.split(',').includes('noexec')) return null
    const { bavail, bsize } = statfsSync(PLACE)
    return bavail * bsize >= NEEDED_BYTES ? PLACE : null
  } catch {
    // Not on Linux.
    return null
  }
}
