import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Calendar } from '../../app/upkeep/calendar.ts'
import { type NightlyBackups, nightlyBackups } from '../../app/upkeep/nightly-backup.ts'
import type { Config } from '../../config.ts'
import { HOUR } from '../../lib/durations.ts'
import { threadOf } from '../../lib/installation.ts'
import type { Closers } from '../closers.ts'
import type { Basis } from '../storage.ts'
import { type BackupJob, backupJob, type ConfigSources } from './backup-job.ts'
import type { BackupAnswer } from './backup-process.ts'

/** Makes the backups of `backup.*` at their time. Null if they are off. */
export function prepareBackups(
  config: Config,
  { store, clock, log, meter, machineTimeZone, site }: Basis,
  { sources, calendar }: { readonly sources: ConfigSources; readonly calendar: Calendar },
  closers: Closers,
): NightlyBackups | null {
  const job = backupJob(config, sources)
  if (job === null) return null
  const backups = nightlyBackups({
    at: config.backup.at,
    timeZone: machineTimeZone,
    async make({ mayPrune, since }, signal) {
      const answer = await inProcess(
        { ...job, overlays: site.now.map.overlays, mayPrune, since, isAsked: false },
        signal,
      )
      return 'made' in answer ? answer.made : answer
    },
    notedAt: async () => (await store.lastAudited('backup.made'))?.at ?? null,
    isDateBelieved: () => calendar.isBelieved(),
    clock,
    log,
    meter,
  })
  closers.add(() => backups.stop())
  return backups
}

const PROCESS = fileURLToPath(threadOf('service/backup/backup-process'))

/** A disk that hangs is given up. */
const TIMEOUT_MS = 12 * HOUR

/** Runs one job in a process of its own, which ends with `signal`. Never rejects. */
async function inProcess(job: BackupJob, stop: AbortSignal): Promise<BackupAnswer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    const child = spawn(process.execPath, [PROCESS], {
      stdio: ['pipe', 'pipe', 'inherit'],
      signal,
      killSignal: 'SIGKILL',
    })
    // A process that has died does not read.
    child.stdin.on('error', () => {}).end(JSON.stringify(job))
    const [said, [code, killed]] = await Promise.all([text(child.stdout), once(child, 'close')])
    const [line] = said.split('\n')
    if (line === undefined || line === '') return { failed: `its process ended with ${killed ?? `exit code ${code}`}` }
    return JSON.parse(line) as BackupAnswer
  } catch (error) {
    if (signal.aborted) return { failed: `it did not end within ${TIMEOUT_MS / HOUR} h: see whether its disk hangs` }
    return { failed: `its process failed (${error instanceof Error ? error.message : String(error)})` }
  }
}
