import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasProgram } from '../../test/fixtures/requires.ts'
import { CannotRun, type Ground } from '../ground.ts'

const SOURCE = fileURLToPath(new URL('./shim.c', import.meta.url))

/** In the order of `struct control` in shim.c. */
const FIELDS = ['wallMs', 'asleepMs', 'steadyMs', 'syncDelayMs', 'syncErrno', 'syncHangs'] as const
export type Trouble = { readonly [K in (typeof FIELDS)[number]]: number }
const INT64_BYTES = 8

export const EIO = 5

/** Sits between the service and its disk and clock. */
export type Shim = {
  /** Environment variables to start the service with. */
  readonly environment: Readonly<Record<string, string>>
  /** Sets the trouble from now on, for every process that runs with the shim; fields left out are back to normal. */
  makes(trouble: Partial<Trouble>): void
}

/** Compiles the shim, in a directory of its own at `place`. Throws `CannotRun` without a compiler. */
export function makeShim(ground: Ground, place = tmpdir()): Shim {
  if (process.platform !== 'linux' || !hasProgram('gcc')) throw new CannotRun('needs Linux and gcc')
  const directory = mkdtempSync(join(place, 'tocsin-shim-'))
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
  // Before the service is ended: a process that hangs in an fsync cannot even be killed.
  ground.after(() => makes({}))
  return { environment: { LD_PRELOAD: library, PROVE_SHIM: control }, makes }
}
