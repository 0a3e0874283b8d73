import { statfsSync } from 'node:fs'

const LOOK_EVERY_MS = 1000

/** Whether at least `reserveBytes` are free where `directory` is, looked at about once a second. 0: always. */
export function reserveWatch(directory: string, reserveBytes: number): () => boolean {
  let lookedAt = Number.NEGATIVE_INFINITY
  let hasReserve = true
  return () => {
    const now = performance.now()
    if (reserveBytes === 0 || now - lookedAt < LOOK_EVERY_MS) return hasReserve
    lookedAt = now
    try {
      const { bavail, bsize } = statfsSync(directory)
      hasReserve = bavail * bsize >= reserveBytes
    } catch {
      // What cannot be told stays as it was: the write itself will show.
    }
    return hasReserve
  }
}
