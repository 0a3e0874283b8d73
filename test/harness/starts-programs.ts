import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A program that is waited for at once (`execFileSync`), as a small tool is, does not count. */
const STARTS =
  /import (\* as \w+|\{[^}]*\b(spawn|fork|exec|execFile)\b[^}]*\}) from 'node:child_process'|from 'playwright-core'/
const IMPORTED = /\b(?:from|import\() ?'(\.[^']+\.ts)'/g
/** A site starts a server only where `TOCSIN_TEST_STORE` asks for one. */
const POSTGRES = 'test/harness/postgres.ts'

/**
 * Whether the test, or a file that it imports from outside `src`, starts a program beside it: a browser, or the service
 * as a process. `file`: from the root of the checkout.
 */
export function startsPrograms(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(resolve(ROOT, file), 'utf8')
  if (STARTS.test(text)) return true
  return (
    [...text.matchAll(IMPORTED)]
      .map(([, path]) => relative(ROOT, resolve(ROOT, dirname(file), path!)))
      // An import in a text that a test is about leads nowhere.
      .some(
        (path) =>
          !path.startsWith('src/') &&
          path !== POSTGRES &&
          existsSync(resolve(ROOT, path)) &&
          startsPrograms(path, seen),
      )
  )
}
