import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import { COMMAND, entry } from '../core/operator/audit.ts'
import type { Answer, Answering, CommonOptions } from './answer.ts'
import { configured } from './command-context.ts'
import { heldText, heldView } from './held-incidents.ts'

const ELSEWHERE = {
  refused:
    "store.url is set: the data is in PostgreSQL; back it up and restore it with PostgreSQL's own tools, such as pg_dump",
} as const

/** `tocsin backup`: copies the database to one file. */
export function addBackupCommand(program: Command, answering: Answering): void {
  program
    .command('backup <file>')
    .description(
      'copy the database to one file, even while the service runs; copy tls/ in the data directory separately',
    )
    .option('--force', 'overwrite the file', false)
    .action(answering((options, file: string) => backup(file, options)))
}

/** `tocsin restore`: replaces the database with such a file. */
export function addRestoreCommand(program: Command, answering: Answering): void {
  program
    .command('restore <file>')
    .description('replace the database with a backup; stop the service first')
    .action(answering((options, file: string) => restore(file, options)))
}

/**
 * Does not switch to the data's owner: the file may go where only root can write.
 */
async function backup(file: string, options: CommonOptions & { readonly force?: boolean }): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  if (read.config.store.url !== null) return ELSEWHERE
  const { backUp } = await import('../adapters/stores/sqlite/files/backup.ts')
  const { noteBackup } = await import('../adapters/stores/sqlite/files/note-backup.ts')
  const { dataDir } = read.config
  const { bytes } = backUp(dataDir, file, { force: options.force === true })
  const made = entry({ at: Date.now(), actor: COMMAND, action: 'backup.made', details: { bytes } })
  const unnoted = noteBackup(dataDir, made)
    ? ''
    : ' It could not be noted in the database, so the console does not show it.'
  const path = resolve(file)
  return {
    json: { file: path, bytes },
    text: `${path}: ${bytes} bytes, verified. It contains the database only. Copy tls/ in the data directory as well: clients trust it.${unnoted}`,
  }
}

/** Why a file cannot be opened, by the system's code. */
const openFailures: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
}

function openBackup(file: string): number {
  try {
    return openSync(file, 'r')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Error(`cannot read ${file}: ${openFailures[code] ?? message}`)
  }
}

async function restore(file: string, options: CommonOptions): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  if (read.config.store.url !== null) return ELSEWHERE
  const { dataDir } = read.config
  const { holdDataDir } = await import('../adapters/stores/sqlite/files/hold-data-dir.ts')
  const { restoreInto } = await import('../adapters/stores/sqlite/files/restore.ts')
  // Opened before switching users: backups made by root belong to root.
  const source = openBackup(file)
  try {
    becomeOwnerOf(dataDir)
    const release = await holdDataDir(dataDir)
    try {
      const { keptAs, held } = await restoreInto(dataDir, source, Date.now())
      const kept = keptAs === null ? 'There was no database before.' : `The previous database is kept as ${keptAs}.`
      return {
        json: { keptAs, heldIncidents: heldView(held) },
        text: `Restored. ${kept}\n\n${heldText(held)}`,
      }
    } finally {
      release()
    }
  } finally {
    closeSync(source)
  }
}
