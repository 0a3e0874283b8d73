import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprintOf } from '../../../lib/fingerprint.ts'
import { fileOf, isBuilt } from '../../../lib/installation.ts'

const ROOT = fileURLToPath(fileOf(''))

/** Files that browsers load, made of `sources` by the program `builder`, in a checkout. They are in `built`. */
export type Bundle = {
  readonly name: 'console' | 'app'
  readonly root: string
  readonly built: string
  readonly builder: string
  readonly sources: readonly string[]
}

/** The console's own code, the files of the service that also run in it, and the versions of its libraries. */
export const consoleBundle: Bundle = {
  name: 'console',
  root: ROOT,
  built: join(ROOT, isBuilt ? 'console' : 'dist/console'),
  builder: join(ROOT, 'build/console.ts'),
  sources: [
    'console',
    ...['coordinates', 'elapsed', 'grammar', 'person-name', 'quick-replies', 'source-words'].map(
      (name) => `src/core/text/${name}.ts`,
    ),
    'src/core/readiness/words.ts',
    'src/core/operator/password.ts',
    'src/core/account/card-words.ts',
    'src/core/account/time-zone.ts',
    'src/core/account/written-number.ts',
    'src/core/account/country-codes.ts',
    'src/core/incident/head-count.ts',
    'package-lock.json',
  ],
}

/** The app in the box: its own code, the blocks that it shares with the console, and the SDK. */
export const appBundle: Bundle = {
  name: 'app',
  root: ROOT,
  built: join(ROOT, isBuilt ? 'app' : 'dist/app'),
  builder: join(ROOT, 'build/app.ts'),
  sources: ['webapp', 'console/parts', 'console/style', 'sdk/src', 'package-lock.json'],
}

/** In `built` of a bundle, written last, so that every file it names exists. */
export const MANIFEST = 'manifest.json'

/** `sources`: the fingerprint of its sources. `page` and `assets`: names of files beside it. */
export type Manifest = { readonly sources: string; readonly page: string; readonly assets: readonly string[] }

/** The fingerprint of everything that a bundle is built from. */
export const bundleFingerprint = ({ sources }: Bundle): Promise<string> => fingerprintOf(ROOT, sources)

/** The manifest of the last complete build; null if there is none. */
export async function readManifest(built: string): Promise<Manifest | null> {
  const text = await readFile(join(built, MANIFEST), 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}
