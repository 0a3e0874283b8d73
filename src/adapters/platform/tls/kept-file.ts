import { randomUUID } from 'node:crypto'
import { link, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isALink, readOwnFile } from '../../../lib/own-file.ts'

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code

/** In words that are the same each time, without the draft's name. */
const fault = (file: string, done: 'read' | 'written' | 'made', cause: unknown): Error =>
  new Error(`${file} could not be ${done} (${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message})`, {
    cause,
  })

/** The file's text, or null where there is none. A link is not followed. */
export function textOf(file: string): string | null {
  try {
    return readOwnFile(file)?.toString('utf8') ?? null
  } catch (error) {
    // Without a code it is a sentence of our own.
    throw (error as NodeJS.ErrnoException).code === undefined ? error : fault(file, 'read', error)
  }
}

/** Makes the directory for keys if it is not there. Rejects where a link stands in its place. */
export async function keptDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) => {
    throw fault(directory, 'made', error)
  })
  if ((await lstat(directory)).isSymbolicLink()) throw new Error(isALink(directory))
}

/** Writes a file that is not there yet, whole or not at all. Where another process was first, its file stays. */
export async function keepOnce(file: string, text: string, mode: number): Promise<void> {
  await throughDraft(file, text, mode, async (draft) => {
    try {
      await link(draft, file)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  })
}

/** Puts a file in the place of an older one, whole or not at all. */
export const replaceFile = (file: string, text: string, mode: number): Promise<void> =>
  throughDraft(file, text, mode, (draft) => rename(draft, file))

async function throughDraft(
  file: string,
  text: string,
  mode: number,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  // A process id would not do: two containers may share a directory.
  const draft = `${file}.${randomUUID()}`
  try {
    const handle = await open(draft, 'wx', mode)
    try {
      await handle.writeFile(text)
      // The umask may have taken something away, and ca.crt is there to be read.
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
    // What is left behind harms nobody, and must not hide why.
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
