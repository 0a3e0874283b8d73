import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/**
 * `bin/node test/check.ts` (`npm run check`): types, formatting and lint, code that nothing uses, and code that reaches
 * past documented interfaces, checked at the same time. What a checker has to say appears in one piece when it ends;
 * one that fails fails the whole.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Each thread of tsc works out the types of the libraries again, and the others need a processor as well. */
const checkers = Math.max(1, Math.min(4, availableParallelism() - 1))
/** The slowest first. */
const BROWSER = 'src/adapters/inbound/http/tracking/browser'
const CHECKS = [
  ['tsc', '--noEmit', '--checkers', `${checkers}`],
  ['tsc', '--noEmit', '--project', 'console'],
  ['tsc', '--noEmit', '--project', 'sdk'],
  ['tsc', '--noEmit', '--project', BROWSER],
  ['knip'],
  ['test/internals.ts'],
  ['biome', 'check', '.'],
] as const
/** The collector of Go, which tsc is written in, takes a third of its processor time; this saves most of that. */
const GOGC = '400'
const colours = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}

function passes([name, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const program = name.endsWith('.ts') ? name : `node_modules/.bin/${name}`
  const child = spawn(process.execPath, [ROOT + program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { GOGC, ...process.env, ...colours },
  })
  const written: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => written.push(bytes))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(written))
      if (code !== 0) console.log(`${name}: FAILED`)
      resolve(code === 0)
    })
  })
}

const passed = await Promise.all(CHECKS.map(passes))
process.exitCode = passed.includes(false) ? 1 : 0
