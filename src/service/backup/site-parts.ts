import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { partOf } from '../../adapters/platform/backup/site-file.ts'
import type { TarMember } from '../../adapters/platform/backup/tar.ts'
import { readOwnFile } from '../../lib/own-file.ts'
import type { SiteSetup } from './backup-job.ts'

/** Parts that return to the data directory, by their names in a backup. */
const IN_DATA_DIR = /^data\/(tls\/[A-Za-z0-9_][\w.-]{0,63}|user-token\.key|secrets\.key)$/
/** Parts that the operator puts in place: the service may not write there. */
const BESIDE =
  /^(tocsin\.yaml|credentials\/TOCSIN_[A-Z0-9_]{1,64}|certificate\/(cert|key)\.pem|map\/[A-Za-z0-9_][\w.-]{0,63})$/

/** The place of a member below the data directory. Null: it is not one of ours. */
export function placeOfPart(name: string): string | null {
  if (IN_DATA_DIR.test(name)) return name.slice('data/'.length)
  return BESIDE.test(name) ? join(RESTORED, name) : null
}

/** The directory for parts that the operator puts in place. */
export const RESTORED = 'restored'

/** The keys of the data directory that belong to the site. Not the node's id, nor the key that opens backups. */
const KEYS = ['user-token.key', 'secrets.key']

/** The small files of a site. Throws with a sentence if one that the site needs cannot be read. */
export function partsOf({ dataDir, configFile, variables, tls, overlays }: SiteSetup): readonly TarMember[] {
  const own = [...KEYS, ...filesIn(join(dataDir, 'tls')).map((name) => join('tls', name))]
  const needed = [
    { name: 'tocsin.yaml', file: configFile },
    { name: 'certificate/cert.pem', file: tls.cert },
    { name: 'certificate/key.pem', file: tls.key },
  ]
  return [
    ...own.flatMap((name) => partFrom(`data/${name}`, readOwnFile(join(dataDir, name)))),
    ...needed.flatMap(({ name, file }) => (file === null ? [] : partFrom(name, readNeeded(file)))),
    ...Object.entries(variables).map(([name, value]) => partOf(`credentials/${name}`, Buffer.from(value))),
    ...overlays.flatMap((file) => partFrom(`map/${basename(file)}`, readOverlay(resolve(dataDir, file)))),
  ]
}

/** Only names that a restore takes: a backup of anything else would not open. */
const partFrom = (name: string, text: Buffer | null): readonly TarMember[] =>
  text === null || placeOfPart(name) === null ? [] : [partOf(name, text)]

function filesIn(directory: string): readonly string[] {
  if (!(lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false)) return []
  return readdirSync(directory, { withFileTypes: true }).flatMap((file) => (file.isFile() ? [file.name] : []))
}

function readNeeded(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${file} cannot be read (${code}), so it cannot be backed up: let the service read it`, {
      cause: error,
    })
  }
}

/** The map goes on without a file that is missing or too large; so does the backup. */
function readOverlay(file: string): Buffer | null {
  try {
    return lstatSync(file).size > MAX_OVERLAY_BYTES ? null : readFileSync(file)
  } catch {
    return null
  }
}

const MAX_OVERLAY_BYTES = 2 * 1024 * 1024
