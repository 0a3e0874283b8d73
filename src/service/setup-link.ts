import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { thisMachine } from '../adapters/platform/tls/names.ts'
import { nodeIdentity } from '../adapters/stores/postgres/node-id.ts'
import { offerSetup, type SetupOffer } from '../app/operator/first-administrator.ts'
import type { Config } from '../config.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { SECOND } from '../lib/durations.ts'
import { replaceFile } from '../lib/kept-file.ts'
import { repeatedly } from '../lib/waits.ts'
import { consoleAddress, consoleLink, openingHints, type ShownCertificate } from './console-address.ts'
import type { Listeners } from './listeners.ts'
import type { Basis } from './storage.ts'

/** Only its owner, who owns the data, may read it. */
const SECRET = 0o600
/** How soon the file goes after the address was used, on this node or another. */
const LOOK_EVERY_MS = 5 * SECOND

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'setup-link')

type Needs = Pick<Basis, 'store' | 'clock' | 'ids' | 'log' | 'nodes'> & {
  readonly listeners: Listeners
  readonly certificate: ShownCertificate | null
  /** The terminal that the service runs on. Null: the address goes into a file. */
  readonly terminal: ((text: string) => void) | null
}

/**
 * On a site without operators, makes the address for the first administrator: on the terminal, else in
 * `{dataDir}/setup-link`, which goes once it no longer works. The log never has the secret. A site that cannot offer
 * one still takes alarms: never rejects. Returns a function that stops looking after it. access.md#operators, ADR 0062.
 */
export async function showSetupLink(config: Config, needs: Needs): Promise<() => void> {
  const { log } = needs
  const file = fileOf(config)
  try {
    // Of an earlier start, whose address stops working now.
    await rm(file, { force: true })
    if (!config.console.enabled) return () => {}
    const offered = await offer(config, needs)
    if (offered === null) return () => {}
    await show(config, needs, offered)
    return watchOver(needs, offered, needs.terminal === null ? file : null)
  } catch (error) {
    log.error(
      { err: error },
      'the address for the first administrator is unavailable; add one with: tocsin operator add LOGIN --role admin',
    )
    return () => {}
  }
}

/** Null: there are operators, or another node has made the address. */
async function offer({ dataDir, node: { id } }: Config, needs: Needs): Promise<SetupOffer | null> {
  const { store, nodes, log } = needs
  // Nearly every start: without a write, or a lock that a sign-in would wait for.
  if ((await store.operators()).length > 0) return null
  const known = await nodes?.nodes()
  const running = known?.nodes.filter(({ isStopped, leaseUntil }) => !isStopped && leaseUntil > known.now) ?? []
  const offered = await offerSetup(needs, {
    node: nodes === null ? null : nodeIdentity(dataDir, id).id,
    running: running.map(({ lease }) => lease.node),
  })
  if (!('refused' in offered)) return offered
  if (offered.refused === 'offered_elsewhere') {
    const { node, expiresAt } = offered
    log.info(
      { node, expiresAt: isoAt(expiresAt) },
      'nobody can sign in yet: another node has the address for the first administrator, on its terminal or in setup-link in its dataDir',
    )
  }
  return null
}

async function show(
  config: Config,
  { listeners, certificate, terminal, log }: Needs,
  { secret, expiresAt }: SetupOffer,
): Promise<void> {
  const address = consoleAddress(config, { listeners, certificate, machine: thisMachine() })
  if (address === null) {
    log.warn({}, 'nobody can sign in yet, and there is no address for it: set http.port or https.port')
    return
  }
  const link = consoleLink(address.base, 'setup', secret)
  const hints = openingHints(address, 'setup', secret)
  if (terminal !== null) {
    const lines = [`Open ${link}`, 'to become the first administrator. It works once, for 24 hours.', ...hints]
    return terminal(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
  }
  const file = fileOf(config)
  await replaceFile(file, [link, ...hints, ''].join('\n'), SECRET)
  log.info(
    { file, expiresAt: isoAt(expiresAt) },
    'nobody can sign in yet: the file has the address for the first administrator, which works once',
  )
}

/** Removes `file` once the address no longer works, and says so if nobody has used it. */
function watchOver({ store, clock, log }: Needs, { hash, expiresAt }: SetupOffer, file: string | null): () => void {
  const look = async (): Promise<number | null> => {
    const link = await store.setupLink()
    const isOurs = link?.hash === hash
    if (isOurs && clock.now() < expiresAt) return LOOK_EVERY_MS
    if (file !== null) await rm(file, { force: true })
    if (isOurs) {
      log.warn(
        {},
        'the address for the first administrator has expired: restart for a new one, or run: tocsin operator add LOGIN --role admin',
      )
    }
    return null
  }
  // The store may be out of reach for a while.
  const stop = repeatedly(clock, LOOK_EVERY_MS, () => look().catch(() => LOOK_EVERY_MS))
  return () => void stop()
}
