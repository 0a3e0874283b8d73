import { accessSync, constants, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** `tocsin-1a2b3c4d-20261128T031000Z.age`: the site, and when it was made. Nothing else in the directory is ours. */
const NAME = /^tocsin-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.age$/

export type MadeFile = { readonly name: string; readonly at: number }

/** `at`: epoch ms. */
export const nameOf = (site: string, at: number): string =>
  `tocsin-${site}-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}.age`

/** Hidden, so that no program that copies finished files takes it. */
export const unfinishedName = (name: string): string => `.${name}.unfinished`

/** The backups of this site in the directory, the newest first. */
const madeIn = (directory: string, site: string): readonly MadeFile[] =>
  readdirSync(directory)
    .flatMap((name) => {
      const [, of, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
      const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
      return of === site && !Number.isNaN(at) ? [{ name, at }] : []
    })
    .toSorted((one, other) => other.at - one.at)

/**
 * Deletes all backups of this site but `made` and the newest of the others, `keep` together. Those dated after `made`
 * are of a clock that was ahead and go first: they would take the place of every later one until their date comes.
 * Returns the names of the deleted ones: files that cannot be deleted are tried again with the next backup, and this
 * one is still good.
 */
export function prune(directory: string, { site, keep, made }: { site: string; keep: number; made: string }) {
  // Names of one site sort by date.
  const isAhead = ({ name }: MadeFile): boolean => name > made
  const old = madeIn(directory, site)
    .filter(({ name }) => name !== made)
    .toSorted((one, other) => Number(isAhead(one)) - Number(isAhead(other)))
    .slice(Math.max(0, keep - 1))
  return old.flatMap(({ name }) => {
    try {
      rmSync(join(directory, name))
      return [name]
    } catch {
      return []
    }
  })
}

/** Deletes what a run of this site that was killed has left in the directory. */
export function removeLeftovers(directory: string, site: string): void {
  for (const name of readdirSync(directory)) {
    const inner = /^\.(.+)\.unfinished$/.exec(name)?.[1] ?? ''
    if (NAME.exec(inner)?.[1] === site) rmSync(join(directory, name), { force: true })
  }
}

/** Throws with a sentence for the operator unless `directory` can take new files. */
export function assertWritable(directory: string): void {
  let isDirectory: boolean
  try {
    isDirectory = statSync(directory).isDirectory()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      code === 'ENOENT'
        ? `there is no directory ${directory} (backup.to): make it, or mount the disk that it is on`
        : `${directory} (backup.to) cannot be reached (${code}): see whether its disk is mounted and works`,
      { cause: error },
    )
  }
  if (!isDirectory) throw new Error(`${directory} (backup.to) is not a directory`)
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      code === 'EROFS'
        ? `${directory} (backup.to) is read-only here: see whether its disk is, or the unit of the service allows it (ReadWritePaths)`
        : `user ${process.getuid?.()} may not write in ${directory} (backup.to): give the directory to it with chown`,
      { cause: error },
    )
  }
}

/** Space for alarms on the disk of the data, while a backup is made or checked. */
export const MARGIN_BYTES = 128 * 1024 * 1024

/** Throws with a sentence unless the disk of `directory` has this much room for others than root. */
export function assertFreeSpace(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize
  if (free >= bytes) return
  throw new Error(
    `the disk of ${directory} has ${inMb(free)} MB free, and the backup needs ${inMb(bytes)} MB there: make room`,
  )
}

const inMb = (bytes: number): string => Math.ceil(bytes / 1024 ** 2).toLocaleString('en')

/** Whether the two directories are on different file systems. */
export const isApart = (one: string, other: string): boolean => statSync(one).dev !== statSync(other).dev

/** The newest backup of this site that is not of a later moment than `now`; null if there is none, or no directory. */
export function newestIn(directory: string, { site, now }: { readonly site: string; readonly now: number }) {
  try {
    const found = madeIn(directory, site).find(({ at }) => at <= now)
    return found === undefined ? null : { ...found, bytes: statSync(join(directory, found.name)).size }
  } catch {
    return null
  }
}
