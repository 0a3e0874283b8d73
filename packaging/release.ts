import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIST, ROOT } from '../build/sources.ts'

/** Where everything that a release consists of is written. */
export const RELEASE = join(ROOT, 'release')

/** The processors that releases are made for, as Node calls them, and as Debian and OCI do. */
export const PROCESSORS = { x64: 'amd64', arm64: 'arm64' } as const
export type Processor = keyof typeof PROCESSORS

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The version of the build in `dist`. */
export const version: string = JSON.parse(readFileSync(join(DIST, 'package.json'), 'utf8')).version

/**
 * The time of every file in a release, in seconds since 1970: SOURCE_DATE_EPOCH, else the time of the commit. Two
 * builds of one commit thus have the same bytes. https://reproducible-builds.org/specs/source-date-epoch/
 */
export const epoch: number = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'))

/** Runs a program. Its output is shown only if it fails. Throws with its name and what it wrote. */
export function run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const env = { ...process.env, SOURCE_DATE_EPOCH: `${epoch}`, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...options.env }
  try {
    return execFileSync(program, args, { ...options, env, encoding: 'utf8', maxBuffer: 1 << 28 })
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
    throw new Error(`${program} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error })
  }
}

/** Whether the machine has the program. */
export function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
