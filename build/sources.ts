import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprintOf } from '../src/lib/fingerprint.ts'

export const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** The output of `npm run build`: a whole installation. */
export const DIST = join(ROOT, 'dist')

/** Source maps, from the code of the build to the sources. No part of an installation. */
export const MAPS = join(DIST, 'maps')

/** Written last: a build without it is not complete. Its content is the fingerprint of its sources. */
export const STAMP = join(DIST, 'sources')

const SOURCES = ['src', 'bin', 'build', 'console', 'webapp', 'sdk', 'config', 'package.json', 'package-lock.json']
/** The operator's own, and the tables from which the packed ones are made. */
const LEFT_OUT = /^config[\\/](tocsin\.yaml|.*\.txt)$/

/** Of everything that a build is made of. */
export const fingerprint = (): Promise<string> => fingerprintOf(ROOT, SOURCES, LEFT_OUT)

/** Whether the build is complete and of the sources as they are now. */
export async function isFresh(): Promise<boolean> {
  const stamp = await readFile(STAMP, 'utf8').catch(() => null)
  return stamp === (await fingerprint())
}
