import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

/**
 * Calls `work` with a function that makes paths inside the folder at `path`; without a name it returns the folder's own
 * path. They lead into that very folder even if another takes its place meanwhile (proc(5), `/proc/self/fd`). Rejects
 * with ENOTDIR if it is a link.
 */
export async function inFolder<T>(path: string, work: (at: (name?: string) => string) => Promise<T>): Promise<T> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    return await work((name = '') => `/proc/self/fd/${folder.fd}/${name}`)
  } finally {
    await folder.close()
  }
}
