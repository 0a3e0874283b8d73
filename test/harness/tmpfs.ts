import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { skipWithout } from '../fixtures/requires.ts'

const run = promisify(execFile)
const BLOCK = Buffer.alloc(64 * 1024)
const PAGE_BYTES = 4096

/** A disk of its own that a test can fill. */
export type SmallDisk = {
  readonly path: string
  /** Takes all space but `leaveBytes`. */
  fill(leaveBytes?: number): Promise<void>
  /** Gives it back. */
  empty(): Promise<void>
}

/**
 * Mounts a tmpfs, which goes with the test. Only root may: elsewhere the test is skipped and this gives null, except under CI=true,
 * where it fails.
 */
export async function mountSmallDisk(t: TestContext, megabytes: number): Promise<SmallDisk | null> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-disk-'))
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]).then(
    () => true,
    () => false,
  )
  if (!isMounted) await rm(path, { recursive: true })
  if (skipWithout(t, 'root, to mount a small disk', isMounted)) return null
  t.after(async () => {
    // Lazily: whoever still works on it ends with the test too.
    await run('umount', ['--lazy', path])
    await rm(path, { recursive: true })
  })
  const filler = join(path, 'filler')
  return {
    path,
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

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
  for (;;) {
    try {
      await file.write(block)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}
