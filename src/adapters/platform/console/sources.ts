import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprintOf } from '../../../lib/fingerprint.ts'
import { fileOf, isBuilt } from '../../../lib/installation.ts'

const ROOT = fileURLToPath(fileOf(''))

/** The checkout, where the console is built, and the program that builds it there. */
export const consolePlaces = {
  root: ROOT,
  built: join(ROOT, isBuilt ? 'console' : 'dist/console'),
  builder: join(ROOT, 'build/console.ts'),
} as const

/** The console's own code, the files of the service that also run in it, and the versions of its libraries. */
const SOURCES = [
  'console',
  ...['coordinates', 'elapsed', 'grammar', 'source-words'].map((name) => `src/core/text/${name}.ts`),
  'src/core/readiness/words.ts',
  'src/core/operator/password.ts',
  'src/core/account/time-zone.ts',
  'package-lock.json',
]

/** In `consolePlaces.built`, written last, so that every file it names exists. */
export const MANIFEST = 'manifest.json'

/** `sources`: the fingerprint of its sources. `page` and `assets`: names of files beside it. */
export type Manifest = { readonly sources: string; readonly page: string; readonly assets: readonly string[] }

/** The fingerprint of everything that the console is built from. */
export const consoleFingerprint = (): Promise<string> => fingerprintOf(ROOT, SOURCES)

/** The manifest of the last complete build; null if there is none. */
export async function readManifest(built: string = consolePlaces.built): Promise<Manifest | null> {
  const text = await readFile(join(built, MANIFEST), 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}
