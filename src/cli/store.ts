import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { SiteSource, SiteTarget } from '../adapters/stores/shared/copy-site.ts'
import type { SiteRow } from '../adapters/stores/shared/site-tables.ts'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import type { Config } from '../config.ts'
import type { Answer, Answering, CommonOptions } from './answer.ts'
import { table } from './answer.ts'
import { type Act, configured } from './command-context.ts'
import { heldText, heldView } from './held-incidents.ts'
import { progressLine } from './progress-line.ts'

/** `tocsin store …`: the database and its place. */
export function addStoreCommands(
  program: Command,
  { act, answering }: { readonly act: Act; readonly answering: Answering },
): void {
  const store = program.command('store').description('move the data between SQLite and PostgreSQL, and make it smaller')

  store
    .command('copy')
    .description('copy everything from the configured store to an empty one of the other kind; stop the service first')
    .option('--to <place>', 'postgresql://user@host/database, or a directory without a database')
    .option(
      '--to-file <file>',
      'a file with the address of the database, which keeps its password off the command line',
    )
    .action(answering(copy))

  store
    .command('reopen')
    .description('let the configured store be used again after it was copied elsewhere')
    .action(answering(reopen))

  store
    .command('restored')
    .description('hold the open incidents after the store has gone back to an earlier moment; stop every service first')
    .action(answering(restored))

  store
    .command('compact')
    .description('rewrite telemetry of earlier versions in its compact form; the service may run')
    .action(act(async (context) => (await import('./store-compact.ts')).compactStore(context)))
}

type CopyOptions = CommonOptions & { readonly to?: string; readonly toFile?: string }

const isAddress = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)

async function copy(options: CopyOptions): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  const { config } = read
  const to = placeIn(options)
  if (to === null) return { refused: 'give exactly one target: --to or --to-file' }
  if (config.store.url === null && !isAddress(to)) {
    return { refused: 'the data is in SQLite; to copy it to another directory use tocsin backup and tocsin restore' }
  }
  if (config.store.url !== null && isAddress(to)) {
    return {
      refused: "the data is in PostgreSQL; to copy it to another database use PostgreSQL's own tools, such as pg_dump",
    }
  }
  becomeOwnerOf(isAddress(to) ? config.dataDir : to)
  const { copySite } = await import('../adapters/stores/shared/copy-site.ts')
  const line = progressLine()
  const source = await openSource(config)
  try {
    const target = await openTarget(to, source.place, config)
    try {
      const tables = await copySite(source, target, {
        onProgress: ({ step, table: name, rows }) =>
          line.show(`${step} ${name}: ${rows.toLocaleString('en')} rows`, rows === 0),
      })
      return {
        json: { from: source.place, to: target.place, tables },
        text: `${table(tables, '')}\n\nEverything in ${source.place} is now in ${target.place}, compared row by row.\n${nextStep(to)}`,
      }
    } finally {
      line.clear()
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** In the file the first line counts. */
function placeIn({ to, toFile }: CopyOptions): string | null {
  if (to !== undefined && toFile === undefined) return isAddress(to) ? to : resolve(to)
  if (to === undefined && toFile !== undefined) return readFileSync(toFile, 'utf8').trim()
  return null
}

const nextStep = (to: string): string =>
  isAddress(to)
    ? 'Set store.url to it and start the service. The service no longer starts on the old database; delete it once you are sure: it contains all users, including those who are erased from now on.'
    : `Remove store.url, set dataDir to ${to} and start the service. The service no longer starts on the old database; drop it once you are sure: it contains all users, including those who are erased from now on.`

async function openSource({ dataDir, store: { url } }: Config): Promise<SiteSource> {
  if (url === null) {
    const { siteKeysIn } = await import('../adapters/platform/tls/site-keys.ts')
    const keys = siteKeysIn(dataDir).map(({ name, value }) => [name, value.toString('hex')])
    return (await import('../adapters/stores/sqlite/copy/source.ts')).openSource(dataDir, { keys, now: Date.now() })
  }
  return (await import('../adapters/stores/postgres/copy/source.ts')).openSource(url.reveal())
}

async function openTarget(to: string, from: string, { dataDir, secretsKey }: Config): Promise<SiteTarget> {
  if (isAddress(to)) return (await import('../adapters/stores/postgres/copy/target.ts')).openTarget(to, from)
  const { keepSiteKeys } = await import('../adapters/platform/tls/site-keys.ts')
  const { openedKey } = await import('../adapters/platform/secrets/sealed-keys.ts')
  const { createSecrets } = await import('../adapters/platform/secrets/site-secrets.ts')
  const secrets = createSecrets({ dataDir, key: secretsKey?.reveal() ?? null, isShared: true })
  const keep = (rows: readonly SiteRow[]): Promise<void> =>
    keepSiteKeys(
      to,
      // The row that names the nodes' key means nothing on one box.
      rows
        .filter(([name]) => name !== 'secrets-key')
        .map(([name, value]) => {
          const opened = openedKey(secrets, String(name), Buffer.from(String(value), 'hex'))
          if ('refused' in opened) throw new Error(opened.why)
          return { name, value: opened.value }
        }),
    )
  return (await import('../adapters/stores/sqlite/copy/target.ts')).openTarget(to, keep)
}

async function reopen(options: CommonOptions): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  const { dataDir, store } = read.config
  becomeOwnerOf(dataDir)
  const was =
    store.url === null
      ? await (await import('../adapters/stores/sqlite/copy/reopen.ts')).reopen(dataDir)
      : await (await import('../adapters/stores/postgres/copy/reopen.ts')).reopen(store.url.reveal())
  if (was === null) return { refused: 'the store is in use: it was not copied elsewhere' }
  return {
    json: { place: was },
    text: `Reopened. What was copied to ${was} must never be started: two sites would alert everyone twice. Delete it.`,
  }
}

/** For restores that Tocsin does not see: point-in-time recovery, disk snapshots. `tocsin restore` does it itself. */
async function restored(options: CommonOptions): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  const { dataDir, store } = read.config
  becomeOwnerOf(dataDir)
  const held =
    store.url === null
      ? await (await import('../adapters/stores/sqlite/copy/hold-restored.ts')).holdRestored(dataDir, Date.now())
      : await (await import('../adapters/stores/postgres/copy/hold-restored.ts')).holdRestored(store.url.reveal())
  return { json: { heldIncidents: heldView(held) }, text: heldText(held) }
}
