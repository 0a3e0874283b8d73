import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './sources.ts'

/**
 * `bin/node build/sdk-types.ts [DIRECTORY]`: the types of the SDK, from its sources, to `sdk/types`. They are kept in
 * the repository, because an installation is built without the compiler.
 */
const to = process.argv[2] ?? join(ROOT, 'sdk/types')
rmSync(to, { recursive: true, force: true })
const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--stripInternal', '--rootDir', 'sdk']
execFileSync(process.execPath, ['node_modules/.bin/tsc', '--project', 'sdk', ...options, '--outDir', to], {
  cwd: ROOT,
  stdio: 'inherit',
})
// As every version of the compiler resolves them.
for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
  const path = join(to, name)
  if (!name.endsWith('.d.ts')) continue
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
}
