import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type MaySkip, smallDisk } from '../fixtures/small-disk.ts'

const BLOCK = Buffer.alloc(64 * 1024)
const PAGE_BYTES = 4096

/** A small disk that a test can fill. */
export type FillableDisk = {
  readonly path: string
  /** Takes all space except `leaveBytes`. */
  fill(leaveBytes?: number): Promise<void>
  /** Frees it again. */
  empty(): Promise<void>
}

/**
 * `smallDisk` with a file that takes its space. Null, and the test skipped, if none can be mounted; under CI=true the
 * test fails.
 */
export function mountSmallDisk(t: MaySkip, megabytes: number): FillableDisk | null {
  const disk = smallDisk(t, megabytes)
  if (disk === null) return null
  const filler = join(disk.path, 'filler')
  return {
    path: disk.path,
    async fill(leaveBytes = 0) {
      const file = await open(filler, 'a')
      try {
        for (const block of [BLOCK, BLOCK.subarray(0, PAGE_BYTES)]) await writeUntilFull(file, block)
        const { size } = await file.stat()
        await file.truncate(Math.max(0, size - leaveBytes))
      } finally {
        await file.close()
      }
    },
    empty: () => rm(filler),
  }
}

async function writeUntilFull(file: FileHandle, block: Buffer): Promise<void> {
  for (;;) {
    try {
      await file.write(block)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}
