import { randomUUID } from 'node:crypto'
import { lchown, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code

/** In words that are the same each time, without the draft's name. */
const fault = (file: string, done: 'read' | 'written' | 'made', cause: unknown): Error =>
  new Error(`${file} cannot be ${done} (${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message})`, {
    cause,
  })

/** The file's text, or null where there is none. */
export async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw fault(file, 'read', error)
  }
}

/** Makes the directory for keys if it is not there, for the owner of the one it is in. */
export async function keptDirectory(directory: string): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error) => {
    throw fault(directory, 'made', error)
  })
  if (made !== undefined && isRoot()) {
    const { uid, gid } = await stat(dirname(directory))
    await lchown(directory, uid, gid)
  }
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

/** Owned by whoever owns the directory, so that root leaves nothing that the service cannot open. */
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
      if (isRoot()) {
        const { uid, gid } = await stat(dirname(file))
        await handle.chown(uid, gid)
      }
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

const isRoot = (): boolean => process.getuid?.() === 0
