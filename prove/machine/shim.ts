import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasProgram } from '../../test/fixtures/requires.ts'
import { CannotRun, type Ground } from '../ground.ts'

const SOURCE = fileURLToPath(new URL('./shim.c', import.meta.url))

/** In the order of `struct control` in shim.c. */
const FIELDS = ['wallMs', 'asleepMs', 'syncDelayMs', 'syncErrno', 'syncHangs'] as const
export type Trouble = { readonly [K in (typeof FIELDS)[number]]: number }
const INT64_BYTES = 8

export const EIO = 5

/** What stands between the service and its disk and clock. */
export type Shim = {
  /** Variables with which the service is started. */
  readonly environment: Readonly<Record<string, string>>
  /** From now on, for whatever runs with it; what is not named is well. */
  makes(trouble: Partial<Trouble>): void
}

/** Compiles the shim. Throws `CannotRun` where there is no compiler. */
export function makeShim(ground: Ground): Shim {
  if (process.platform !== 'linux' || !hasProgram('gcc')) throw new CannotRun('needs Linux and gcc')
  const directory = mkdtempSync(join(tmpdir(), 'tocsin-shim-'))
  ground.after(() => rmSync(directory, { recursive: true, force: true }))
  const library = join(directory, 'shim.so')
  execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'])
  const control = join(directory, 'control')
  writeFileSync(control, Buffer.alloc(FIELDS.length * INT64_BYTES))
  const file = openSync(control, 'r+')
  const makes = (trouble: Partial<Trouble>): void => {
    const bytes = Buffer.alloc(FIELDS.length * INT64_BYTES)
    for (const [place, field] of FIELDS.entries())
      bytes.writeBigInt64LE(BigInt(trouble[field] ?? 0), place * INT64_BYTES)
    writeSync(file, bytes, 0, bytes.length, 0)
  }
  // Before the service is ended: one that hangs in an fsync does not even die.
  ground.after(() => makes({}))
  return { environment: { LD_PRELOAD: library, PROVE_SHIM: control }, makes }
}
