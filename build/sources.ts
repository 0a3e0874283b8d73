import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** What `npm run build` makes: a whole installation. */
export const DIST = join(ROOT, 'dist')

/** Written last: a build without it is not complete. Its content is the fingerprint of its sources. */
export const STAMP = join(DIST, 'sources')

const SOURCES = ['src', 'bin', 'build', 'console', 'config', 'package.json', 'package-lock.json']
/** The operator's own, and the tables from which the packed ones are made. */
const LEFT_OUT = /^config[\\/](tocsin\.yaml|.*\.txt)$/

/** A hash of everything that a build is made of. Of contents rather than of times: clones and archives keep no times. */
export async function fingerprint(): Promise<string> {
  const found = await Promise.all(
    SOURCES.map(async (name) => {
      if (name.endsWith('.json')) return [name]
      const entries = await readdir(join(ROOT, name), { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length))
    }),
  )
  const hash = createHash('sha256')
  for (const file of found
    .flat()
    .filter((file) => !LEFT_OUT.test(file))
    .sort()) {
    hash.update(`${file}\0`).update(await readFile(join(ROOT, file)))
  }
  return hash.digest('hex')
}

/** Whether the build is complete and of the sources as they are now. */
export async function isFresh(): Promise<boolean> {
  const stamp = await readFile(STAMP, 'utf8').catch(() => null)
  return stamp === (await fingerprint())
}
