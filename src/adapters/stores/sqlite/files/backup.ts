import { randomUUID } from 'node:crypto'
import { closeSync, lstatSync, openSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { linkMessage } from '../../../../lib/own-file.ts'
import { openReader, type SqliteDatabase } from '../engine/database.ts'
import { flawOf, syncToDisk } from './copy-file.ts'
import { asOwnerOf } from './data-owner.ts'

const OWN_FILE = 0o600

/**
 * Copies the database of `dataDir` into `file` as of one moment, even while the service writes. The copy is checked
 * before it gets its name, is readable by its owner only and contains nothing deleted. Throws with a sentence for the
 * operator.
 */
export function backUp(
  dataDir: string,
  file: string,
  { force }: { readonly force: boolean },
): { readonly bytes: number } {
  const source = join(dataDir, 'tocsin.db')
  const database = lstatSync(source, { throwIfNoEntry: false })
  if (database === undefined) throw new Error(`there is no database in ${dataDir}`)
  if (database.isSymbolicLink()) throw new Error(linkMessage(source))
  // A name like `copy/../tocsin.db`, or another hard link to the same file, must not overwrite the database.
  const before = lstatSync(file, { throwIfNoEntry: false })
  if (before !== undefined && isSame(before, database)) throw new Error(`${file} is the database itself`)
  if (before !== undefined && !before.isFile()) throw new Error(`${file} is not a file`)
  if (before !== undefined && !force) throw new Error(`${file} already exists; overwrite it with --force`)
  const unfinished = `${resolve(file)}.${randomUUID()}.unfinished`
  try {
    // Created first, so that it is never readable by others. SQLite accepts an empty file.
    closeSync(openSync(unfinished, 'wx', OWN_FILE))
    const db = opened(dataDir, source)
    try {
      // One read transaction, whatever is written in the meantime; a page-wise copy would restart with every commit of
      // the service.
      db.prepare('VACUUM INTO ?').run(unfinished)
    } finally {
      db.close()
    }
    const flaw = flawOf(unfinished)
    if (flaw !== null) throw new Error(`the copy is not usable: ${flaw}`)
    syncToDisk(unfinished)
    renameSync(unfinished, file)
    syncToDisk(dirname(resolve(file)))
    return { bytes: statSync(file).size }
  } finally {
    rmSync(unfinished, { force: true })
  }
}

const isSame = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev

/** Opened with only the rights of the data's owner, who could replace the file at any moment. */
const opened = (dataDir: string, source: string): SqliteDatabase =>
  asOwnerOf(dataDir, () => {
    const db = openReader(source)
    try {
      // SQLite opens its files at the first read.
      db.prepare('SELECT 1 FROM sqlite_schema').get()
      return db
    } catch (error) {
      db.close()
      throw error
    }
  })
