import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { mkdir, type open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UnreadableFile } from '../../adapters/platform/backup/age-file.ts'
import { assertFreeSpace, MARGIN_BYTES } from '../../adapters/platform/backup/place.ts'
import { readAbout, readSiteFile, type SiteAbout, type SiteManifest } from '../../adapters/platform/backup/site-file.ts'
import { newestSchema } from '../../adapters/stores/shared/migrations.ts'
import { flawOf, syncToDisk } from '../../adapters/stores/sqlite/files/copy-file.ts'
import { holdBackup, holdDataDir } from '../../adapters/stores/sqlite/files/hold-data-dir.ts'
import { type Restored, restoreInto, writeNew } from '../../adapters/stores/sqlite/files/restore.ts'
import { removeStagedBackup, STAGED_BACKUP } from '../../adapters/stores/sqlite/files/unfinished.ts'
import { replaceFile } from '../../lib/kept-file.ts'
import { readOwnFile } from '../../lib/own-file.ts'
import { placeOfPart, RESTORED } from './site-parts.ts'

type Opened = Awaited<ReturnType<typeof open>>

/** An encrypted backup and the keys that may open it. `name`: how sentences call it. */
export type SealedFile = { readonly name: string; readonly file: Opened; readonly identities: readonly string[] }

export type RestoredSite = Restored & {
  readonly about: SiteAbout
  /** The folder with files that belong elsewhere, such as the configuration; null if there were none. */
  readonly setup: { readonly directory: string; readonly files: readonly string[] } | null
  /** The names that former files have now. */
  readonly setAside: readonly string[]
}

/**
 * Gives `dataDir` the site of an encrypted backup: the database as `restoreInto` does, the CA and the keys; what the
 * service may not write, such as its configuration, goes to a directory for the operator. Former files get another
 * name. Changes nothing unless the whole backup is sound. Rejects with a sentence for the operator.
 */
export async function restoreSite(dataDir: string, sealed: SealedFile, now: number): Promise<RestoredSite> {
  const release = await holdDataDir(dataDir)
  const parts = new Map<string, Buffer>()
  const setAside: string[] = []
  let about: SiteAbout | null = null
  try {
    const restored = await restoreInto(
      dataDir,
      {
        async fill(staged) {
          ;({ about } = await reading(sealed, dataDir, {
            database: (content) => writeNew(staged, content),
            part: (name, text) => void parts.set(name, text),
          }))
          if (!existsSync(staged)) throw new Error(`${sealed.name} holds no database`)
        },
        async beside() {
          setAside.push(...(await placeParts(dataDir, parts, now)))
        },
      },
      now,
    )
    const files = [...parts.keys()].filter((name) => placeOfPart(name)?.startsWith(`${RESTORED}/`))
    const setup = files.length === 0 ? null : { directory: join(dataDir, RESTORED), files }
    return { ...restored, about: about!, setup, setAside }
  } finally {
    release()
  }
}

export type CheckedSite = { readonly about: SiteAbout; readonly manifest: SiteManifest }

/**
 * Opens a whole encrypted backup as a restore would, and changes nothing. The database in it lies beside that of the
 * service meanwhile, so it leaves what alarms may need.
 */
export async function checkSite(dataDir: string, sealed: SealedFile): Promise<CheckedSite> {
  const release = await holdBackup(dataDir)
  const staged = join(dataDir, STAGED_BACKUP)
  try {
    removeStagedBackup(dataDir)
    // It is not compressed.
    assertFreeSpace(dataDir, (await sealed.file.stat()).size + MARGIN_BYTES)
    const checked = await reading(sealed, dataDir, { database: (content) => writeNew(staged, content) })
    const flaw = flawOf(staged)
    if (flaw !== null) throw new Error(flaw.replaceAll(staged, 'the database in it'))
    return checked
  } finally {
    removeStagedBackup(dataDir)
    release()
  }
}

/** When the backup was made, from its beginning alone. */
export const aboutSealed = (sealed: SealedFile): Promise<SiteAbout> =>
  readAbout(sealed.file, sealed.identities).catch((error: unknown) => {
    throw named(error, sealed.name, null)
  })

async function reading(
  { name, file, identities }: SealedFile,
  dataDir: string,
  reader: Pick<Parameters<typeof readSiteFile>[2] & object, 'database' | 'part'>,
): Promise<CheckedSite> {
  try {
    return await readSiteFile(file, identities, { ...reader, begin: (about) => mustBeKnown(about, name) })
  } catch (error) {
    throw named(error, name, dataDir)
  }
}

function mustBeKnown({ version, schema }: SiteAbout, name: string): void {
  const newest = newestSchema('sqlite')
  if (schema <= newest) return
  throw new Error(
    `${name} was written by a newer version of Tocsin (${version}; its schema is version ${schema}, this one supports up to ${newest}); update Tocsin first`,
  )
}

function named(error: unknown, name: string, dataDir: string | null): Error {
  if (error instanceof UnreadableFile) return new Error(`${name} ${error.message}`, { cause: error })
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
    return new Error(`the disk of ${dataDir} is full: make room for the database in ${name}`, { cause: error })
  }
  return error instanceof Error ? error : new Error(String(error))
}

/** Puts files in their places below the data directory. Returns the new names of the files that were there. */
async function placeParts(
  dataDir: string,
  parts: ReadonlyMap<string, Buffer>,
  now: number,
): Promise<readonly string[]> {
  const placed = [...parts].flatMap(([name, text]) => {
    const place = placeOfPart(name)
    return place === null ? [] : [{ place, text }]
  })
  const setAside: string[] = []
  const aside = (name: string): void => {
    const former = `${name}-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`
    renameSync(join(dataDir, name), join(dataDir, former))
    setAside.push(join(dataDir, former))
  }
  for (const directory of ['tls', RESTORED]) {
    const files = placed.filter(({ place }) => place.startsWith(`${directory}/`))
    if (files.length === 0 || holdsSame(dataDir, directory, files)) continue
    // Whole under another name first: a CA and a key of two sites do not fit.
    const draft = `${directory}.restoring`
    await rm(join(dataDir, draft), { recursive: true, force: true })
    for (const { place, text } of files) await write(join(dataDir, draft, place.slice(directory.length + 1)), text)
    if (lstatSync(join(dataDir, directory), { throwIfNoEntry: false }) !== undefined) aside(directory)
    renameSync(join(dataDir, draft), join(dataDir, directory))
  }
  for (const { place, text } of placed.filter((one) => !one.place.includes('/'))) {
    const former = readOwnFile(join(dataDir, place))
    if (former?.equals(text)) continue
    if (former !== null) aside(place)
    await replaceFile(join(dataDir, place), text, 0o600)
  }
  syncToDisk(dataDir)
  return setAside
}

async function write(path: string, text: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // ca.crt is for everyone; the directory is not.
  await replaceFile(path, text, path.endsWith('.crt') ? 0o644 : 0o600)
}

/** Whether the directory is as in the backup, so that it can stay. */
function holdsSame(
  dataDir: string,
  directory: string,
  files: readonly { readonly place: string; readonly text: Buffer }[],
): boolean {
  const found = lstatSync(join(dataDir, directory), { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  const names = readdirSync(join(dataDir, directory), { recursive: true, withFileTypes: true })
  return (
    names.filter((entry) => !entry.isDirectory()).length === files.length &&
    files.every(({ place, text }) => readOwnFile(join(dataDir, place))?.equals(text) ?? false)
  )
}
