import { lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

const FOLDERS = ['inbox', 'outbox', 'sent', 'error'] as const

/**
 * Whether the directory at `path` is a spool of gammu-smsd, apart from `dataDir`. An administrator at a browser must
 * not make the service write into any other directory: its four folders have to be there, and no link may lead to it.
 */
export async function isSpool(path: string, dataDir: string): Promise<boolean> {
  try {
    if ((await realpath(path)) !== path) return false
    const own = await realpath(dataDir)
    if (isWithin(path, own) || isWithin(own, path)) return false
    const folders = await Promise.all(FOLDERS.map((folder) => lstat(join(path, folder))))
    return folders.every((folder) => folder.isDirectory())
  } catch {
    return false
  }
}

const isWithin = (path: string, directory: string): boolean => `${path}${sep}`.startsWith(`${directory}${sep}`)
