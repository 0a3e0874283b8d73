import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from './command-line.ts'
import type { Ending } from './ending.ts'
import { DIES_AT_COMMIT, preloading } from './preloaded.ts'

/**
 * Where a service dies: on which side of a commit, counted from the moment it is set. `table`: only commits that write
 * to it count; null: every commit does.
 */
export type KillPoint = {
  readonly side: 'before' | 'after'
  readonly table: 'incidents' | 'outbox' | 'telemetry' | 'site_settings' | null
  readonly nth: number
}

/** For a service that is killed soon: a start without the console, which no kill is about, takes a twentieth less. */
export const BRIEF: Environment = { TOCSIN_CONSOLE_ENABLED: 'off' }

/**
 * Kills a real service by SIGKILL from within, at a chosen commit: no chance is needed to meet the moment. The service
 * has to be started with the `environment`.
 */
export async function killPoints(t: Ending): Promise<{
  readonly environment: Environment
  /** For the service that runs now, or the one that starts next. */
  set(point: KillPoint): Promise<void>
  /** To be called when it is dead, so that the next one lives. */
  clear(): Promise<void>
}> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-kill-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'point')
  return {
    environment: { ...preloading(DIES_AT_COMMIT), KILL_POINT: path, ...BRIEF },
    async set(point) {
      // At once: a service that reads half of it would not die.
      await writeFile(`${path}.new`, JSON.stringify(point))
      await rename(`${path}.new`, path)
    },
    clear: () => rm(path, { force: true }),
  }
}
