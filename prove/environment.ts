import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Compiled once instead of at each of some hundred starts: how fast Node reads TypeScript is not being proved. Removed
 * when this program exits.
 */
const compiled = mkdtempSync(join(tmpdir(), 'tocsin-prove-compiled-'))
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

/** For every service that the proof starts. Output is kept in memory, so it is limited to what is needed. */
export const COMMON = { NODE_COMPILE_CACHE: compiled, TOCSIN_LOG_LEVEL: 'warn' } as const
