import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Compiled once, not at each of some hundred starts: what is to be proved is not how fast Node reads TypeScript.
 * Gone with this program.
 */
const compiled = mkdtempSync(join(tmpdir(), 'tocsin-prove-compiled-'))
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

/** For every service that the proof starts. Output is kept in memory, so there is no more of it than needed. */
export const COMMON = { NODE_COMPILE_CACHE: compiled, TOCSIN_LOG_LEVEL: 'warn' } as const
