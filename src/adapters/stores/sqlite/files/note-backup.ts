import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { AuditEntry } from '../../../../core/operator/audit.ts'
import { auditing } from '../operators/record-audit.ts'
import { asOwnerOf } from './data-owner.ts'

/** A finished backup must not wait long for the service's commits. */
const TIMEOUT_MS = 5000

/**
 * Notes a backup in the audit log of the database, so that the console can show its age. Never migrates: backups are
 * made before upgrades. False if the database is of an earlier version or cannot be written; the backup is sound all
 * the same.
 */
export function noteBackup(dataDir: string, audit: AuditEntry): boolean {
  try {
    return asOwnerOf(dataDir, () => {
      const db = new Database(join(dataDir, 'tocsin.db'), { fileMustExist: true, timeout: TIMEOUT_MS })
      try {
        db.pragma('synchronous = FULL')
        // The service does that on a separate thread.
        db.pragma('wal_autocheckpoint = 0')
        auditing(db)(audit)
        return true
      } finally {
        db.close()
      }
    })
  } catch {
    return false
  }
}
