import { randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, open, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'

const TRIES = 5
const PIECE_BYTES = 4096
const OWN_FILE = 0o600

/** Free bytes for unprivileged users on the disk of `directory`. */
export async function freeBytesAt(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/**
 * How long an fsync of a few kilobytes takes in `directory`: the median of five, in ms. The file has no name while it
 * is written, so that nothing of it stays, however this ends. Null if none can be made there.
 */
export async function syncMsAt(directory: string): Promise<number | null> {
  const path = join(directory, `.tocsin-doctor-${randomUUID()}`)
  let file: FileHandle
  try {
    file = await open(path, 'wx', OWN_FILE)
  } catch {
    return null
  }
  try {
    await unlink(path)
    const took: number[] = []
    for (let tries = 0; tries < TRIES; tries += 1) {
      await file.write(randomBytes(PIECE_BYTES))
      const began = performance.now()
      await file.sync()
      took.push(performance.now() - began)
    }
    return took.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)]!
  } catch {
    // A full disk, which is told as such.
    return null
  } finally {
    await file.close()
  }
}
