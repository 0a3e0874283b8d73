import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CannotRun, type Ground } from '../ground.ts'

const run = promisify(execFile)
const UNMOUNT_TRIES = 100
const UNMOUNT_AGAIN_MS = 50

/**
 * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: nothing more reaches the device from now on, not even the
 * journal.
 */
const SHUTDOWN = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack("I", 2))
`

/** A separate ext4 file system in a file, on a loop device. */
export class LoopDisk {
  readonly path: string
  readonly #image: string
  #frozen = false

  private constructor(directory: string) {
    this.#image = join(directory, 'disk.img')
    this.path = join(directory, 'disk')
  }

  /** Creates and mounts the disk; the ground removes it. Throws `CannotRun` without root or loop devices. */
  static async make(ground: Ground, megabytes: number): Promise<LoopDisk> {
    if (process.getuid?.() !== 0) throw new CannotRun('needs root, for a file system of its own')
    const directory = mkdtempSync(join(tmpdir(), 'tocsin-loop-'))
    ground.after(() => rmSync(directory, { recursive: true, force: true }))
    const disk = new LoopDisk(directory)
    try {
      execFileSync('truncate', ['-s', `${megabytes}M`, disk.#image])
      execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', disk.#image], { stdio: ['ignore', 'ignore', 'pipe'] })
      execFileSync('mkdir', [disk.path])
      await disk.mount()
    } catch (error) {
      throw new CannotRun(`needs mkfs.ext4 and a loop device (${(error as Error).message.split('\n')[0]})`)
    }
    ground.after(() => disk.#end())
    return disk
  }

  async mount(): Promise<void> {
    await run('mount', ['-o', 'loop', this.#image, this.path])
  }

  /** Waits for a killed process that still holds a file. */
  async unmount(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await run('umount', [this.path])
        return
      } catch (error) {
        if (tries === UNMOUNT_TRIES) throw error
        await sleep(UNMOUNT_AGAIN_MS)
      }
    }
  }

  /** Cuts the power: from now on every write fails. */
  async cut(): Promise<void> {
    await run('python3', ['-c', SHUTDOWN, this.path])
  }

  async freeze(): Promise<void> {
    this.#frozen = true
    await run('fsfreeze', ['-f', this.path])
  }

  async thaw(): Promise<void> {
    if (!this.#frozen) return
    await run('fsfreeze', ['-u', this.path])
    this.#frozen = false
  }

  async #end(): Promise<void> {
    await this.thaw()
    // Lazily: the mount must not survive a service that failed to end.
    await this.unmount().catch(() => run('umount', ['-l', this.path]).catch(() => {}))
  }
}
