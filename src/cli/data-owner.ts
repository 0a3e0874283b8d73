import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The directory itself or the closest one above it that exists. */
const existing = (directory: string): string => (existsSync(directory) ? directory : existing(dirname(directory)))

/**
 * Run as root, goes on as whoever the data belongs to, so that no file is left that the service's own user cannot open. Decisions 6.
 * Whoever is not root stays who they are.
 */
export function becomeOwnerOf(dataDir: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(existing(dataDir))
  if (uid === 0) return
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
