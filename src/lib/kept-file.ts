import { randomUUID } from 'node:crypto'
import { link, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { linkMessage, readOwnFile } from './own-file.ts'

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code

/** An error worded the same each time, without the name of the temporary file. */
const fault = (file: string, done: 'read' | 'written' | 'made', cause: unknown): Error =>
  new Error(`${file} could not be ${done} (${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message})`, {
    cause,
  })

/** The file's text, or null if there is none. Does not follow a link. */
export function textOf(file: string): string | null {
  try {
    return readOwnFile(file)?.toString('utf8') ?? null
  } catch (error) {
    // Without a code, it is one of our own sentences.
    throw (error as NodeJS.ErrnoException).code === undefined ? error : fault(file, 'read', error)
  }
}

/** Creates the directory for keys if it is missing. Rejects if it is a link. */
export async function keptDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) => {
    throw fault(directory, 'made', error)
  })
  if ((await lstat(directory)).isSymbolicLink()) throw new Error(linkMessage(directory))
}

/** Writes a new file atomically. If another process was first, its file stays. */
export async function keepOnce(file: string, text: string, mode: number): Promise<void> {
  await throughDraft(file, text, mode, async (draft) => {
    try {
      await link(draft, file)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  })
}

/** Replaces a file atomically. */
export const replaceFile = (file: string, text: string | Uint8Array, mode: number): Promise<void> =>
  throughDraft(file, text, mode, (draft) => rename(draft, file))

async function throughDraft(
  file: string,
  text: string | Uint8Array,
  mode: number,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  // A process id would not be unique: two containers may share a directory.
  const draft = `${file}.${randomUUID()}`
  try {
    const handle = await open(draft, 'wx', mode)
    try {
      await handle.writeFile(text)
      // The umask may have removed bits, and ca.crt has to be readable.
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await place(draft)
    await syncDirectory(dirname(file))
  } catch (error) {
    throw fault(file, 'written', error)
  } finally {
    // A leftover does no harm, and must not hide the original error.
    await rm(draft, { force: true }).catch(() => {})
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
