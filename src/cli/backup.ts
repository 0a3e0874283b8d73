import { resolve } from 'node:path'
import type { Command } from 'commander'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import { settingsIn } from '../config/environment.ts'
import type { Config } from '../config.ts'
import { COMMAND, entry } from '../core/operator/audit.ts'
import type { Answer, Answering, CommonOptions } from './answer.ts'
import { configured } from './command-context.ts'
import { identities, isEncryptedBackup, openBackup } from './sealed-file.ts'

export const ELSEWHERE = {
  refused:
    "store.url is set: the data is in PostgreSQL; back it up and restore it with PostgreSQL's own tools, such as pg_dump",
} as const

type BackupOptions = CommonOptions & {
  readonly force?: boolean
  readonly now?: boolean
  readonly check?: boolean
  readonly identity?: string
}

/** `tocsin backup`: copies the database to one file; makes and checks encrypted backups of the whole site. */
export function addBackupCommand(program: Command, answering: Answering): void {
  program
    .command('backup [file]')
    .description(
      'copy the database to one file, even while the service runs; with --now, make an encrypted backup of the whole site',
    )
    .option('--force', 'overwrite the file', false)
    .option('--now', 'make an encrypted backup in backup.to, and accept that directory as it is', false)
    .option('--check', 'open an encrypted backup as a restore would, and change nothing', false)
    .option('--identity <file>', 'the secret key that opens it; default: backup.key in the data directory')
    .action(
      answering(async (options: BackupOptions, file: string | undefined, _: unknown, command: Command) => {
        if (options.now === true && file !== undefined) command.error('error: --now takes no file')
        if (options.now !== true && file === undefined) command.error("error: missing required argument 'file'")
        const read = configured(options.config)
        if ('refused' in read) return read
        if (read.config.store.url !== null) return ELSEWHERE
        if (file === undefined) return backUpNow(read)
        return options.check === true ? check(file, options, read.config) : backUpDatabase(file, options, read.config)
      }),
    )
}

/** Does not switch to the data's owner: the file may go where only root can write. */
async function backUpDatabase(file: string, { force }: BackupOptions, { dataDir }: Config): Promise<Answer> {
  const { backUp } = await import('../adapters/stores/sqlite/files/backup.ts')
  const { noteBackup } = await import('../adapters/stores/sqlite/files/note-backup.ts')
  const { bytes } = backUp(dataDir, file, { force: force === true })
  const made = entry({ at: Date.now(), actor: COMMAND, action: 'backup.made', details: { bytes } })
  const unnoted = noteBackup(dataDir, made) ? '' : NOT_NOTED
  const path = resolve(file)
  return {
    json: { file: path, bytes },
    text: `${path}: ${bytes} bytes, verified. It contains the database only. Copy tls/ in the data directory as well: clients trust it.${unnoted}`,
  }
}

const NOT_NOTED = ' It could not be noted in the database, so the console does not show it.'

/** Everything as the service makes it, also as the same user: what root may write, the service cannot. */
async function backUpNow({ config, file }: { readonly config: Config; readonly file: string | null }): Promise<Answer> {
  const { backupJob } = await import('../service/backup/backup-job.ts')
  const job = backupJob(config, { configFile: file, variables: settingsIn(process.env) })
  if (job === null) {
    return { refused: 'backup.recipient is not set: an encrypted backup needs the public key that it is encrypted for' }
  }
  becomeOwnerOf(config.dataDir)
  const { makeBackup } = await import('../service/backup/make-backup.ts')
  const { isClockDoubted } = await import('../adapters/stores/sqlite/upkeep/clock-doubt.ts')
  const mayPrune = !isClockDoubted(config.dataDir)
  const { noted, madeAt, ...made } = await makeBackup({ ...job, mayPrune, since: null, isAsked: true })
  const removed = made.removed.length === 0 ? '' : ` Deleted: ${made.removed.join(', ')}.`
  return {
    json: { ...made, madeAt: new Date(madeAt).toISOString() },
    text: `${made.file}: ${made.bytes} bytes, opened again and checked.${removed}${noted ? '' : NOT_NOTED}`,
    ...(made.afterFailure !== null && { warnings: [made.afterFailure] }),
  }
}

async function check(file: string, options: BackupOptions, { dataDir }: Config): Promise<Answer> {
  const opened = await openBackup(file)
  try {
    if (!(await isEncryptedBackup(opened)))
      return { refused: `${file} is not encrypted: only backups of a site can be checked` }
    const keys = await identities(dataDir, options.identity)
    becomeOwnerOf(dataDir)
    const { checkSite } = await import('../service/backup/restore-site.ts')
    const { about, manifest } = await checkSite(dataDir, { name: file, file: opened, identities: keys })
    const { madeAt, version, schema } = about
    return {
      json: { file: resolve(file), madeAt, version, schema, members: manifest },
      text: `${resolve(file)} is sound: made ${madeAt} by version ${version}, ${manifest.length} files with the database.`,
    }
  } finally {
    await opened.close()
  }
}
