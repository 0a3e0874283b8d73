import { text } from 'node:stream/consumers'
import { endsFirst } from '../../adapters/platform/system/process-limits.ts'
import type { BackupJob, BackupMade } from './backup-job.ts'
import { backupSince, makeBackup } from './make-backup.ts'

/** The answer of this process, one line of JSON on stdout. */
export type BackupAnswer =
  | { readonly made: BackupMade }
  | { readonly failed: string }
  | { readonly present: { readonly at: number; readonly bytes: number } }

/**
 * Makes one backup in a process of its own, so that neither encrypting nor the disk holds up an alarm, and that the
 * kernel ends this one first. The job comes on stdin: it holds secrets, which a command line would show.
 */
async function answer(): Promise<BackupAnswer> {
  try {
    const job: BackupJob = JSON.parse(await text(process.stdin))
    const present = await backupSince(job)
    return present === null ? { made: await makeBackup(job) } : { present }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

endsFirst()
process.stdout.write(`${JSON.stringify(await answer())}\n`)
