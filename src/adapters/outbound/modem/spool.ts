import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inFolder } from '../../../lib/in-folder.ts'
import { type SpooledText, spooledText, spoolName } from './spool-name.ts'

/** The folders of gammu-smsd that may hold one of our texts. `outbox`: the daemon has not finished with it. */
const folders = ['outbox', 'sent', 'error'] as const
type Folder = (typeof folders)[number]

export type SpoolFile = SpooledText & { readonly folder: Folder; readonly name: string }

/** The most names read from a folder; the sweep keeps far fewer. */
const MAX_NAMES = 20_000
/** Read and write for the owner and the group, to which the daemon belongs. */
const SHARED_MODE = 0o660
/** An access time earlier than any change: reading updates it, on most mounts. */
const UNREAD_AT = new Date(1000)

/** The error codes of a disk that is full, or of a quota. */
const FULL: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT']
const MISSING: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR']

export type SpoolFault = 'spool full' | 'spool missing' | 'spool not writable'

/** The fault of the spool, as a failure text. rules.md#failure-texts. */
export function spoolFault(error: unknown): SpoolFault {
  const { code } = error as NodeJS.ErrnoException
  if (FULL.includes(code)) return 'spool full'
  return MISSING.includes(code) ? 'spool missing' : 'spool not writable'
}

/** Whether the daemon may have begun to send the withdrawn text. */
export type Withdrawn = 'unread' | 'maybe_read' | 'gone'

/** The folders that the service shares with gammu-smsd. Functions reject with the fault of the file system. */
export type Spool = ReturnType<typeof spoolAt>

/**
 * `directory` has the folders `outbox`, `sent`, `error` and `inbox`. None of them may be a link: the daemon's user may
 * write there, and must not lead the service to files elsewhere.
 */
export function spoolAt(directory: string) {
  const within = <T>(folder: Folder, work: Parameters<typeof inFolder<T>>[1]): Promise<T> =>
    inFolder(join(directory, folder), work)
  /** Whether access times reveal reading; not on a mount with `noatime`. Null until the first file is written. */
  let showsReads: boolean | null = null

  async function names(folder: Folder): Promise<readonly string[]> {
    const all = await within(folder, (at) => readdir(at()))
    return all.length > MAX_NAMES ? all.slice(0, MAX_NAMES) : all
  }

  /** `part`: lists only names that contain it, so that one text is found without parsing thousands of names. */
  async function list(folder: Folder, part = ''): Promise<readonly SpoolFile[]> {
    return (await names(folder)).flatMap((name) => {
      if (!name.includes(part)) return []
      const text = spooledText(name)
      return text === null ? [] : [{ ...text, folder, name }]
    })
  }

  /** Finds out whether the mount records that a file was read, using the file itself before the daemon can see it. */
  async function learnReads(path: string): Promise<void> {
    if (showsReads !== null) return
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      await file.readFile()
      showsReads = (await file.stat()).atimeMs !== UNREAD_AT.getTime()
      await markUnread(file)
    } finally {
      await file.close()
    }
  }

  return {
    inbox: join(directory, 'inbox'),

    /**
     * Writes a text for the daemon atomically: the daemon ignores hidden names. UTF-16 with a byte order mark is read
     * the same in every locale; the daemon chooses alphabet and segments. Resolves with null if no file name can hold
     * all of it.
     */
    async put(text: SpooledText, content: string): Promise<SpoolFile | null> {
      const name = spoolName(text)
      if (name === null) return null
      return within('outbox', async (at) => {
        const hidden = at(`.${name}`)
        try {
          const file = await newFile(hidden)
          try {
            await file.writeFile(Buffer.from(`\ufeff${content.toWellFormed()}`, 'utf16le').swap16())
            await file.sync()
            await shareWith(at(), file)
            await markUnread(file)
          } finally {
            await file.close()
          }
          await learnReads(hidden)
          await rename(hidden, at(name))
        } catch (error) {
          await unlink(hidden).catch(() => {})
          throw error
        }
        return { ...text, folder: 'outbox', name }
      })
    },

    /** The folder of the file now; null if it is in none of them. */
    async folderOf(name: string): Promise<Folder | null> {
      for (const folder of folders) {
        if (await within(folder, (at) => exists(at(name)))) return folder
      }
      return null
    },

    /** All files written for an attempt, the newest try first. */
    async of(attemptId: string): Promise<readonly SpoolFile[]> {
      const all = (await Promise.all(folders.map((folder) => list(folder, attemptId)))).flat()
      return all.filter((one) => one.attemptId === attemptId).toSorted((a, b) => b.claimedAt - a.claimedAt)
    },

    list: (folder: Folder) => list(folder),

    /**
     * Withdraws a text from the outbox. The daemon leaves a file there while it sends it, and carries on if the file
     * disappears: the access time shows whether it has started. A text that it may have started on is kept among the
     * errors, because its reader may answer with its code.
     */
    withdraw(name: string): Promise<Withdrawn> {
      return within('outbox', async (at) => {
        const hidden = at(`.${name}`)
        try {
          await rename(at(name), hidden)
          const { atimeMs } = await lstat(hidden)
          if (showsReads === true && atimeMs === UNREAD_AT.getTime()) {
            await unlink(hidden)
            return 'unread'
          }
          await within('error', (inErrors) => rename(hidden, inErrors(name))).catch(() => unlink(hidden))
          return 'maybe_read'
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone'
          throw error
        }
      })
    },

    async remove({ folder, name }: Pick<SpoolFile, 'folder' | 'name'>): Promise<void> {
      await within(folder, (at) => unlink(at(name))).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    },

    /**
     * Removes hidden files from before `before` (epoch ms), left by a crash while a text was being added or withdrawn.
     */
    async removeHidden(before: number): Promise<void> {
      for (const name of await names('outbox')) {
        if (!name.startsWith('.OUT') || spooledText(name.slice(1)) === null) continue
        await within('outbox', async (at) => {
          const { mtimeMs } = await lstat(at(name))
          if (mtimeMs < before) await unlink(at(name))
        })
      }
    },

    /** Rejects if a text could not be written now, or its outcome could not be read. */
    async prove(): Promise<void> {
      await within('outbox', async (at) => {
        const probe = at('.tocsin-probe')
        const file = await newFile(probe)
        try {
          // Even a full disk accepts empty files.
          await file.writeFile(' '.repeat(PROBE_BYTES))
          await file.sync()
        } finally {
          await file.close()
          await unlink(probe).catch(() => {})
        }
      })
      await Promise.all([names('sent'), names('error')])
    },
  }
}

const PROBE_BYTES = 4096

async function markUnread(file: FileHandle): Promise<void> {
  await file.utimes(UNREAD_AT, new Date())
}

/**
 * Creates a file and never overwrites one: others may write to the folder, and a link there could lead to any of our
 * files.
 */
async function newFile(path: string): Promise<FileHandle> {
  await unlink(path).catch(() => {})
  return open(path, 'wx', SHARED_MODE)
}

/** Lets the daemon read the file, whatever the umask; a file written by root is given to the owner of the folder. */
async function shareWith(folder: string, file: FileHandle): Promise<void> {
  await file.chmod(SHARED_MODE)
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await lstat(folder)
  await file.chown(uid, gid)
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
