import { createReadStream, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  assertFreeSpace,
  assertWritable,
  isApart,
  MARGIN_BYTES,
  nameOf,
  newestIn,
  prune,
  removeLeftovers,
  unfinishedName,
} from '../../adapters/platform/backup/place.ts'
import { DATABASE, readSiteFile, type SiteManifest, writeSiteFile } from '../../adapters/platform/backup/site-file.ts'
import { newestSchema } from '../../adapters/stores/shared/migrations.ts'
import { backUp } from '../../adapters/stores/sqlite/files/backup.ts'
import { syncToDisk } from '../../adapters/stores/sqlite/files/copy-file.ts'
import { holdBackup } from '../../adapters/stores/sqlite/files/hold-data-dir.ts'
import { alarmsEndIn } from '../../adapters/stores/sqlite/files/lost-since.ts'
import { noteBackup } from '../../adapters/stores/sqlite/files/note-backup.ts'
import { removeStagedBackup, STAGED_BACKUP } from '../../adapters/stores/sqlite/files/unfinished.ts'
import { COMMAND, entry } from '../../core/operator/audit.ts'
import { replaceFile } from '../../lib/kept-file.ts'
import { readOwnFile } from '../../lib/own-file.ts'
import { release } from '../../lib/release.ts'
import { runAfter } from './after.ts'
import type { BackupJob, BackupMade } from './backup-job.ts'
import { placeOfBackups } from './backup-job.ts'
import { type BackupKey, backupKeyFile, siteBackupKey } from './backup-key.ts'
import { partsOf } from './site-parts.ts'

/**
 * Makes one backup of the site, opens it again with the site's own key, compares every member, and only then gives it
 * its name and deletes old ones. If anything fails, those that were made before stay. Rejects with a sentence for the
 * operator.
 */
export async function makeBackup(job: BackupJob): Promise<BackupMade> {
  const { dataDir, keep, recipient } = job
  const to = placeOfBackups(job)
  // The only directory that is made: elsewhere it would hide a disk that is not mounted.
  if (to.startsWith(`${resolve(dataDir)}/`)) mkdirSync(to, { recursive: true, mode: 0o700 })
  const letGo = await holdBackup(dataDir)
  try {
    assertWritable(to)
    const key = await siteBackupKey(dataDir)
    if (key.recipient === recipient) throw new Error(ownRecipient(dataDir))
    if (!job.isAsked) mustBeMounted(dataDir, to)
    removeStagedBackup(dataDir)
    removeLeftovers(to, key.site)
    mustHaveRoomFor(dataDir, to)
    const name = nameOf(key.site, freeMoment(to, key.site, Date.now()))
    const draft = join(to, unfinishedName(name))
    try {
      const madeAt = await write(job, draft, key)
      await rename(draft, join(to, name))
      syncDirectory(to)
      const { size: bytes } = statSync(join(to, name))
      await rememberPlace(dataDir, to)
      const removed = job.mayPrune ? prune(to, { site: key.site, keep, made: name }) : []
      const audit = entry({
        at: Date.now(),
        actor: COMMAND,
        action: 'backup.made',
        subject: name,
        details: { bytes, encrypted: true },
      })
      const noted = noteBackup(dataDir, audit)
      const file = join(to, name)
      return { file, madeAt, bytes, removed, noted, afterFailure: await runAfter(job.after, file) }
    } finally {
      rmSync(draft, { force: true })
    }
  } catch (error) {
    throw new Error(whyFailed(error, to), { cause: error })
  } finally {
    removeStagedBackup(dataDir)
    letGo()
  }
}

/** The newest backup of this site in its place that is not older than `since`; null if one has to be made. */
export async function backupSince(job: BackupJob): Promise<{ readonly at: number; readonly bytes: number } | null> {
  if (job.since === null) return null
  const { site } = await siteBackupKey(job.dataDir)
  const newest = newestIn(placeOfBackups(job), { site, now: Date.now() })
  return newest !== null && newest.at >= job.since ? newest : null
}

/** Writes the encrypted file and checks it. Resolves with the moment that the copy is of. */
async function write(job: BackupJob, draft: string, key: BackupKey): Promise<number> {
  const { dataDir } = job
  const staged = join(dataDir, STAGED_BACKUP)
  const madeAt = Date.now()
  // Checked by SQLite before it gets this name; from then on, its SHA-256 stands for it.
  const { bytes } = backUp(dataDir, staged, { force: true })
  const about = {
    format: 1 as const,
    madeAt: new Date(madeAt).toISOString(),
    version: release.version,
    schema: newestSchema('sqlite'),
    site: key.site,
    alarms: alarmsEndIn(staged),
  }
  const file = await open(draft, 'wx+', 0o600)
  try {
    const database = { name: DATABASE, bytes, content: createReadStream(staged, { highWaterMark: 1024 * 1024 }) }
    const recipients = [job.recipient, key.recipient]
    const written = await writeSiteFile(file, { about, recipients, parts: [...partsOf(job), database] })
    await file.sync()
    rmSync(staged)
    await mustReadBack(written, () => readSiteFile(file, [key.identity]))
  } finally {
    await file.close()
  }
  return madeAt
}

async function mustReadBack(
  written: SiteManifest,
  read: () => Promise<{ readonly manifest: SiteManifest }>,
): Promise<void> {
  const { manifest } = await read().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`the new file could not be read back (it ${why}): test its disk`, { cause: error })
  })
  if (JSON.stringify(manifest) !== JSON.stringify(written)) {
    throw new Error('the new file does not hold what was written: test its disk')
  }
}

const ownRecipient = (dataDir: string): string =>
  `backup.recipient is the site's own key (${backupKeyFile(dataDir)}), which is lost with the machine: make another key pair with age-keygen, and keep its secret key elsewhere`

/** The whole database once more on the disk of the data, and once encrypted. */
function mustHaveRoomFor(dataDir: string, to: string): void {
  const sizeOf = (name: string): number => lstatSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0
  const bytes = sizeOf('tocsin.db') + sizeOf('tocsin.db-wal')
  if (isApart(dataDir, to)) {
    assertFreeSpace(dataDir, bytes + MARGIN_BYTES)
    assertFreeSpace(to, bytes)
  } else assertFreeSpace(dataDir, 2 * bytes + MARGIN_BYTES)
}

/** Two in a second get different names. */
function freeMoment(to: string, site: string, at: number): number {
  const isTaken = lstatSync(join(to, nameOf(site, at)), { throwIfNoEntry: false }) !== undefined
  return isTaken ? freeMoment(to, site, at + 1000) : at
}

const placeFile = (dataDir: string): string => join(dataDir, 'backup.place')

/** So that the empty directory of a disk that has been taken out is not taken for the disk. */
const rememberPlace = (dataDir: string, to: string): Promise<void> =>
  replaceFile(placeFile(dataDir), placeText(to, isApart(dataDir, to)), 0o600)

const placeText = (to: string, apart: boolean): string => JSON.stringify({ to, apart })

function mustBeMounted(dataDir: string, to: string): void {
  const remembered = readOwnFile(placeFile(dataDir))?.toString('utf8')
  if (remembered !== placeText(to, true) || isApart(dataDir, to)) return
  throw new Error(
    `the disk of ${to} (backup.to) is not mounted: the backup before went to another disk than the data, and now the directory is on the same; mount it, or accept the directory with: tocsin backup --now`,
  )
}

function whyFailed(error: unknown, to: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'SQLITE_FULL' || code === 'EDQUOT') {
    return `the disk is full, that of the data or that of ${to}: make room`
  }
  if (code === 'EIO' || code === 'ENODEV' || code === 'ESTALE') {
    return `${to} failed while the backup was written (${code}): see whether its disk is still there and works`
  }
  return message
}

/** Some network file systems cannot sync a directory; the file itself is on the disk. */
function syncDirectory(to: string): void {
  try {
    syncToDisk(to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error
  }
}
