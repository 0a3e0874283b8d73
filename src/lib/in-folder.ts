import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

/**
 * Calls `work` with what gives paths inside the folder at `path`, and its own path as `at()`: they lead into that very
 * folder whatever takes its place meanwhile (proc(5), `/proc/self/fd`). Rejects with ENOTDIR if it is a link.
 */
export async function inFolder<T>(path: string, work: (at: (name?: string) => string) => Promise<T>): Promise<T> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    return await work((name = '') => `/proc/self/fd/${folder.fd}/${name}`)
  } finally {
    await folder.close()
  }
}
