import type { FileHandle } from 'node:fs/promises'
import type { Command } from 'commander'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import { type Answer, type Answering, type CommonOptions, table } from './answer.ts'
import { ELSEWHERE } from './backup.ts'
import { configured } from './command-context.ts'
import { heldText, heldView } from './held-incidents.ts'
import { identities, isEncryptedBackup, openBackup } from './sealed-file.ts'

type RestoreOptions = CommonOptions & { readonly identity?: string; readonly whatIsLost?: boolean }

/** `tocsin restore`: gives the data directory the content of a backup, or says what that would lose. */
export function addRestoreCommand(program: Command, answering: Answering): void {
  program
    .command('restore <file>')
    .description('go back to a backup, of the database or of the whole site; stop the service first')
    .option(
      '--identity <file>',
      'the secret key that opens an encrypted backup; default: backup.key in the data directory',
    )
    .option('--what-is-lost', 'only list the alarms since the backup; the service may run', false)
    .action(answering((options, file: string) => onBackup(file, options)))
}

async function onBackup(file: string, options: RestoreOptions): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  if (read.config.store.url !== null) return ELSEWHERE
  const { dataDir } = read.config
  // Opened before switching users: backups made by root belong to root, and so may the key.
  const opened = await openBackup(file)
  try {
    const sealed = (await isEncryptedBackup(opened))
      ? { name: file, file: opened, identities: await identities(dataDir, options.identity) }
      : null
    if (options.whatIsLost === true) return await whatIsLost(dataDir, file, sealed)
    becomeOwnerOf(dataDir)
    return await (sealed === null ? restoreDatabase(dataDir, opened) : restoreWhole(dataDir, sealed))
  } finally {
    await opened.close()
  }
}

type Sealed = { readonly name: string; readonly file: FileHandle; readonly identities: readonly string[] }

const keptText = (keptAs: string | null): string =>
  keptAs === null ? 'There was no database before.' : `The previous database is kept as ${keptAs}.`

async function restoreDatabase(dataDir: string, opened: FileHandle): Promise<Answer> {
  const { holdDataDir } = await import('../adapters/stores/sqlite/files/hold-data-dir.ts')
  const { restoreInto, writeNew } = await import('../adapters/stores/sqlite/files/restore.ts')
  const release = await holdDataDir(dataDir)
  try {
    const fill = (staged: string) => writeNew(staged, opened.createReadStream({ start: 0, autoClose: false }))
    const { keptAs, held } = await restoreInto(dataDir, { fill }, Date.now())
    return {
      json: { keptAs, heldIncidents: heldView(held) },
      text: `Restored. ${keptText(keptAs)}\n\n${heldText(held)}`,
    }
  } finally {
    release()
  }
}

async function restoreWhole(dataDir: string, sealed: Sealed): Promise<Answer> {
  const { restoreSite } = await import('../service/backup/restore-site.ts')
  const { keptAs, held, about, setup, setAside } = await restoreSite(dataDir, sealed, Date.now())
  const { madeAt, version } = about
  const aside = setAside.length === 0 ? [] : [`What was there before is kept as ${setAside.join(', ')}.`]
  const beside =
    setup === null
      ? []
      : [
          `${setup.directory} holds what this command puts nowhere: ${setup.files.join(', ')}. Read it, copy what you need to where the service reads it, and delete the directory.`,
        ]
  return {
    json: { keptAs, heldIncidents: heldView(held), madeAt, version, setup, setAside },
    text: [
      `Restored the site as it was at ${madeAt} (version ${version}). ${keptText(keptAs)}`,
      ...aside,
      ...beside,
      heldText(held),
    ].join('\n\n'),
  }
}

const MEANS = {
  opened: 'would be gone',
  pressed: 'would lose these presses',
  ended: 'would be open again, and held',
  acknowledged: 'would be active again, and held',
} as const

async function whatIsLost(dataDir: string, file: string, sealed: Sealed | null): Promise<Answer> {
  const { alarmsEndIn, lostSince } = await import('../adapters/stores/sqlite/files/lost-since.ts')
  const { since, end } = sealed === null ? plainEnd(alarmsEndIn(file)) : await sealedEnd(sealed)
  becomeOwnerOf(dataDir)
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  const lost = lostSince(dataDir, end).map((one) => ({
    ...one,
    openedAt: iso(one.openedAt),
    closedAt: iso(one.closedAt),
    lastPressAt: iso(one.lastPressAt),
  }))
  const rows = lost.map(({ incidentId, externalUserId, name, openedAt, presses, lost: kind }) => ({
    incidentId,
    externalUserId,
    name,
    openedAt,
    presses,
    restoring: MEANS[kind],
  }))
  const warnings = Math.max(since, end.at) > Date.now() ? [CLOCK_SET_BACK] : []
  return {
    json: { since: iso(since), incidents: lost, warnings },
    text: table(rows, `No alarm has come, been acknowledged or ended since the backup (${iso(since)}).`),
    warnings,
  }
}

const CLOCK_SET_BACK =
  'the clock has been set back since the backup: new incidents are listed, but presses, acknowledgements and ends since then may be missing'

type AlarmsEnd = { readonly at: number; readonly number: number }

const plainEnd = (end: AlarmsEnd) => ({ since: end.at, end })

async function sealedEnd(sealed: Sealed) {
  const { aboutSealed } = await import('../service/backup/restore-site.ts')
  const { madeAt, alarms } = await aboutSealed(sealed)
  return { since: Date.parse(madeAt), end: alarms }
}
