import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileOf, isBuilt } from '../../../lib/installation.ts'

const ROOT = fileURLToPath(fileOf(''))

/** Where the console's sources are, in a checkout, and where it is built. */
export const consolePlaces = {
  root: ROOT,
  sources: join(ROOT, 'console'),
  built: join(ROOT, isBuilt ? 'console' : 'dist/console'),
} as const

/** What of the service runs in the console, too. It imports nothing but types. */
const SHARED = [
  ...['coordinates', 'elapsed', 'grammar', 'source-words'].map((name) => `src/core/text/${name}.ts`),
  'src/core/readiness/words.ts',
]

/** In `consolePlaces.built`, written last: everything that it names is there. */
export const MANIFEST = 'manifest.json'

/** `sources`: the fingerprint of its sources. `page` and `assets`: names of files beside it. */
export type Manifest = { readonly sources: string; readonly page: string; readonly assets: readonly string[] }

/**
 * A hash of everything that the console is built from. Of contents rather than of times: copies, clones and archives
 * keep no times.
 */
export async function fingerprint({
  root,
  sources,
}: {
  root: string
  sources: string
} = consolePlaces): Promise<string> {
  const hash = createHash('sha256')
  const found = await readdir(sources, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  // The lock file: another version of a library is another console.
  for (const file of [...files.sort(), ...SHARED.map((path) => join(root, path)), join(root, 'package-lock.json')]) {
    hash.update(`${file.slice(root.length)}\0`).update(await readFile(file))
  }
  return hash.digest('hex')
}

/** What was built last; null if nothing was, or not to its end. */
export async function readManifest(built: string = consolePlaces.built): Promise<Manifest | null> {
  const text = await readFile(join(built, MANIFEST), 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}
