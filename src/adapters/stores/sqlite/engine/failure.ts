import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { StoreError } from '../../../../ports/store.ts'
import type { SqliteDatabase } from './database.ts'

/** A store failure as plain data that can pass between threads. */
export type StoreFailure = {
  readonly kind: StoreError['kind']
  readonly message: string
  /** Recent writes of this process may not be on disk, even committed ones: the process has to end. */
  readonly fatal: boolean
}

const sentences = {
  disk_full: 'the disk is full',
  disk_reserve: 'the free space on the disk is below the reserve',
  busy: 'another process has the database locked',
  closed: 'the store is closed',
  overloaded: 'too many writes are waiting for the disk',
} as const

/**
 * After a failed fsync the kernel forgets what it could not write, and the next fsync succeeds as if nothing had
 * happened.
 */
const UNSYNCED = ['SQLITE_IOERR_FSYNC', 'SQLITE_IOERR_DIR_FSYNC']
/** An I/O error with less free space than this means that the disk is full. */
const NO_SPACE_BYTES = 1024 * 1024

export const failureOfKind = (kind: keyof typeof sentences): StoreFailure => ({
  kind,
  message: sentences[kind],
  fatal: false,
})

/** Classifies `error`, thrown while working on `db`, for the caller. */
export function failureOf(error: unknown, db: SqliteDatabase): StoreFailure {
  const code = codeOf(error)
  if (UNSYNCED.includes(code)) return { kind: 'fault', message: `the disk failed (${code})`, fatal: true }
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && isOutOfSpace(db))) return failureOfKind('disk_full')
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return failureOfKind('busy')
  return { kind: 'fault', message: error instanceof Error ? error.message : String(error), fatal: false }
}

/**
 * Whether the error concerns the disk or the file rather than one statement; then it affects every write of the
 * transaction.
 */
export function concernsAll(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|READONLY|CANTOPEN|PROTOCOL)/.test(codeOf(error))
}

export const toStoreError = ({ kind, message }: StoreFailure): StoreError => new StoreError(message, kind)

const codeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')

function isOutOfSpace(db: SqliteDatabase): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(db.name))
    return bavail * bsize < NO_SPACE_BYTES
  } catch {
    return false
  }
}
