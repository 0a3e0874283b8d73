import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { newestIn } from '../../adapters/platform/backup/place.ts'
import { NotExamined } from '../../app/doctor/examine.ts'
import type { FactsOf } from '../../app/doctor/subjects.ts'
import type { Config } from '../../config.ts'
import { readOwnFile } from '../../lib/own-file.ts'
import { placeOfBackups } from '../backup/backup-job.ts'
import { backupKeyFile, identitiesFor, siteBackupKey } from '../backup/backup-key.ts'
import { checkSite } from '../backup/restore-site.ts'

/** Opens the newest encrypted backup with the site's own key, as a restore would. Nothing of it stays. */
export async function restoreTest({ dataDir, store, backup }: Config): Promise<FactsOf<'restore'>> {
  if (store.url !== null) throw new NotExamined('PostgreSQL is backed up with its own tools: test those')
  if (backup.recipient === null) throw new NotExamined('backup.recipient is not set, so there is no encrypted backup')
  if (readOwnFile(backupKeyFile(dataDir)) === null) throw new NotExamined('no backup has been made here yet')
  const directory = placeOfBackups({ dataDir, to: backup.to })
  const { site } = await siteBackupKey(dataDir)
  const newest = newestIn(directory, { site, now: Date.now() })
  if (newest === null) return { file: directory, failure: 'there is no backup of this site, or it cannot be read' }
  const file = join(directory, newest.name)
  const began = performance.now()
  try {
    const opened = await open(file, 'r')
    try {
      const sealed = { name: file, file: opened, identities: identitiesFor(dataDir, undefined) }
      const { manifest } = await checkSite(dataDir, sealed)
      return { file, madeAt: newest.at, files: manifest.length, tookMs: performance.now() - began }
    } finally {
      await opened.close()
    }
  } catch (error) {
    return { file, failure: error instanceof Error ? error.message : String(error) }
  }
}
