import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const OWN_DIRECTORY = 0o700
const OWN_FILE = 0o600

/**
 * Makes `{dataDir}/{name}` ready to be opened: the directory made if it is missing, the file there, neither open to other users, and
 * the file the directory owner's even when root made it. SQLite gives its own companions (`-wal`, `-shm`) the same owner and mode.
 * Returns the file's path; throws where the directory cannot be used.
 */
export function prepareFile(dataDir: string, name: string): string {
  prepareDirectory(dataDir)
  const path = join(dataDir, name)
  // Opened and closed only while nobody can hold a lock on it: closing a file drops the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWN_FILE))
  if (process.getuid?.() === 0) handOver(path, dataDir)
  return path
}

/** A directory that already holds something of somebody's is not ours to close to others. */
function prepareDirectory(dataDir: string): void {
  const made = mkdirSync(dataDir, { recursive: true, mode: OWN_DIRECTORY }) !== undefined
  const unused = !made && readdirSync(dataDir).every((name) => name.startsWith('.'))
  if (unused && isOurs(dataDir)) chmodSync(dataDir, OWN_DIRECTORY)
}

const isOurs = (path: string): boolean => [0, statSync(path).uid].includes(process.getuid?.() ?? -1)

function handOver(path: string, dataDir: string): void {
  const { uid, gid } = statSync(dataDir)
  if (statSync(path).uid !== uid) chownSync(path, uid, gid)
}
