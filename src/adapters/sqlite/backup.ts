import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openReader } from './connection.ts'
import { flawOf, flush } from './copy-file.ts'

const OWN_FILE = 0o600

/**
 * Copies the database of `dataDir` into `file` as it stands at one moment, also while the service writes. The copy is checked before it
 * takes its name, belongs to its owner alone and holds nothing that was deleted. Throws with a sentence for the operator.
 */
export function backUp(
  dataDir: string,
  file: string,
  { force }: { readonly force: boolean },
): { readonly bytes: number } {
  const source = join(dataDir, 'tocsin.db')
  if (!existsSync(source)) throw new Error(`there is no database in ${dataDir}`)
  // A name like `copy/../tocsin.db`, or a second name of the same file, must not cost the site its database.
  const before = statSync(file, { throwIfNoEntry: false })
  if (before !== undefined && before.ino === statSync(source).ino && before.dev === statSync(source).dev) {
    throw new Error(`${file} is the database itself`)
  }
  if (before !== undefined && !before.isFile()) throw new Error(`${file} is not a file`)
  if (before !== undefined && !force) throw new Error(`${file} is there already; --force overwrites it`)
  const unfinished = `${resolve(file)}.${process.pid}.unfinished`
  try {
    // Made first, so that at no moment it is open to others. SQLite takes an empty file over.
    closeSync(openSync(unfinished, 'wx', OWN_FILE))
    const db = openReader(source)
    try {
      // One read transaction, whatever is written meanwhile; the page-wise copy would begin again with every commit of the service.
      db.prepare('VACUUM INTO ?').run(unfinished)
    } finally {
      db.close()
    }
    const flaw = flawOf(unfinished)
    if (flaw !== null) throw new Error(`the copy is not usable: ${flaw}`)
    flush(unfinished)
    renameSync(unfinished, file)
    flush(dirname(resolve(file)))
    return { bytes: statSync(file).size }
  } finally {
    rmSync(unfinished, { force: true })
  }
}
