import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Non-blocking, so that a planted pipe cannot hang the process. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * The content of a file that belongs to the service, or null if there is none. Throws if the name is anything but a
 * plain file. A link there is not ours and is never followed.
 */
export function readOwnFile(path: string): Buffer | null {
  let file: number
  try {
    file = openSync(path, PLAIN)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw code === 'ELOOP' ? new Error(linkMessage(path), { cause: error }) : error
  }
  try {
    if (!fstatSync(file).isFile()) throw new Error(notAFileMessage(path))
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

export const linkMessage = (path: string): string =>
  `${path} is a symbolic link; Tocsin needs a file of its own under this name and does not follow links there`

export const notAFileMessage = (path: string): string =>
  `${path} is not a regular file; Tocsin needs a file of its own under this name`
