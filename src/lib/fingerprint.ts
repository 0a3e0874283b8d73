import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A hash of these files and folders of `root`, without the files whose path matches `leftOut`. Of contents rather than
 * of times: copies, clones and archives keep no times.
 */
export async function fingerprintOf(
  root: string,
  paths: readonly string[],
  leftOut: RegExp | null = null,
): Promise<string> {
  const found = await Promise.all(paths.map((path) => filesOf(root, path)))
  const hash = createHash('sha256')
  for (const file of found.flat().sort()) {
    if (leftOut?.test(file) !== true) hash.update(`${file}\0`).update(await readFile(join(root, file)))
  }
  return hash.digest('hex')
}

async function filesOf(root: string, path: string): Promise<readonly string[]> {
  if ((await stat(join(root, path))).isFile()) return [path]
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, '/').length))
}
