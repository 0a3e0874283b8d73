import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { linkMessage, notAFileMessage } from '../../../../lib/own-file.ts'

const OWN_DIRECTORY = 0o700
const OWN_FILE = 0o600

/**
 * Prepares `{dataDir}/{name}` for opening: creates the directory and the file if they are missing, closed to other
 * users. SQLite gives its companion files (`-wal`, `-shm`) the same owner and mode. Symbolic links under these names
 * are never followed. Returns the file's path; throws, with a sentence for the operator, if the directory or the file
 * is unusable.
 */
export function prepareFile(dataDir: string, name: string): string {
  prepareDirectory(dataDir)
  const path = join(dataDir, name)
  if (!isUsable(path)) makeFile(path)
  for (const file of [`${path}-wal`, `${path}-shm`]) isUsable(file)
  return path
}

/** Opens and closes the file only while it cannot be locked: closing a file drops this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWN_FILE))
  } catch (error) {
    // Another process was first.
    if (!isError(error, 'EEXIST')) throw error
    isUsable(path)
  }
}

/** False if there is no such file. Throws if it is not safe to use. */
export function isUsable(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (found.isSymbolicLink()) throw new Error(linkMessage(file))
  if (!found.isFile()) throw new Error(notAFileMessage(file))
  mustBeOpenTo(file, constants.R_OK | constants.W_OK)
  return true
}

/** Checked beforehand, because SQLite only says that it is unable to open the file. */
function mustBeOpenTo(path: string, access: number): void {
  try {
    accessSync(path, access)
  } catch (error) {
    if (isError(error, 'EROFS')) throw new Error(`${path} is on a disk that is mounted read-only`, { cause: error })
    throw new Error(
      `user ${process.getuid?.()} has no permission to read and write ${path}, which belongs to user ${statSync(path).uid}; run Tocsin as its owner, or change the owner with chown`,
      { cause: error },
    )
  }
}

const isError = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code

/** A directory that already held files keeps its mode. */
function prepareDirectory(dataDir: string): void {
  const made = makeDirectory(dataDir)
  mustBeOpenTo(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  const unused = !made && readdirSync(dataDir).every((name) => name.startsWith('.'))
  if (unused && isOurs(dataDir)) chmodSync(dataDir, OWN_DIRECTORY)
}

/** Whether it was created just now. */
function makeDirectory(dataDir: string): boolean {
  try {
    return mkdirSync(dataDir, { recursive: true, mode: OWN_DIRECTORY }) !== undefined
  } catch (error) {
    if (isError(error, 'EEXIST') || isError(error, 'ENOTDIR')) {
      throw new Error(`dataDir ${dataDir} must be a directory, but it is a file or is inside one`, { cause: error })
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `dataDir ${dataDir} could not be created (${reason}); create it for user ${process.getuid?.()}, or choose another`,
      {
        cause: error,
      },
    )
  }
}

const isOurs = (path: string): boolean => [0, statSync(path).uid].includes(process.getuid?.() ?? -1)
