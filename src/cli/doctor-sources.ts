import { accessSync, constants } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { askOwn, valuesIn } from '../adapters/outbound/doctor/own-service.ts'
import { askDaemon } from '../adapters/outbound/modem/modem-watch.ts'
import type { PortHolder } from '../adapters/platform/system/listening.ts'
import { descriptorLimit, memoryLimit } from '../adapters/platform/system/process-limits.ts'
import { createTimeSync } from '../adapters/platform/system/time-sync.ts'
import { tlsSourceOf } from '../adapters/platform/tls/identity.ts'
import { lookAtCertificate } from '../adapters/platform/tls/look.ts'
import { namesOf } from '../adapters/platform/tls/names.ts'
import { certificatesIn } from '../adapters/platform/tls/pair.ts'
import { validityOf } from '../adapters/platform/tls/validity.ts'
import { holderNow } from '../adapters/stores/sqlite/files/hold-data-dir.ts'
import { NotExamined } from '../app/doctor/examine.ts'
import type { FactSources, FactsOf } from '../app/doctor/subjects.ts'
import { nodeView } from '../app/operator/nodes.ts'
import { overlaps } from '../config/overlaps.ts'
import { configWarnings } from '../config/warnings.ts'
import { type Config, listenersOn } from '../config.ts'
import { MINUTE, SECOND } from '../lib/durations.ts'
import { release } from '../lib/release.ts'
import type { Store } from '../ports/store.ts'
import { publicUrlOf } from '../service/addresses.ts'
import { connectionBudget } from '../service/budget.ts'
import { certificateFacts, sharedSources } from '../service/doctor/facts.ts'
import { listeningDescriptors } from '../service/listeners.ts'
import { localAddressOf } from '../service/own-listener.ts'
import { databaseServer, type OpenedOnce } from './opened-store.ts'
import { storedCertificate } from './public-certificate.ts'

type Seen = {
  readonly listening: ReadonlyMap<number, readonly PortHolder[]>
  readonly opened: OpenedOnce
  /** `--restore-test`. */
  readonly testsRestore: boolean
}

/** The facts of an installation, gathered beside its service. `file`: of the configuration; null without one. */
export function sourcesOf(config: Config, file: string | null, { listening, opened, testsRestore }: Seen): FactSources {
  const { url } = config.store
  const asked = askService(config)
  const now = async () => (await opened.open()).readNow()
  const shared = sharedSources({
    config,
    publicUrl: () => publicUrlOf(config),
    store: async () => (await opened.open()).store,
    now,
    modem: () => modemFacts(config),
    server: url === null ? null : () => databaseServer(url.reveal()),
  })
  return {
    ...shared,
    version: async () => ({ files: release, running: (await asked).release }),
    service: async () => (await asked).facts,
    async configuration() {
      // The line of the store says why it cannot be read.
      const rows = await opened
        .open()
        .then(({ store }) => store.siteSettings())
        .catch(() => [])
      const stored = rows.flatMap(({ key, value }) => (value === null ? [] : [key]))
      const warnings = [...configWarnings(config), ...overlaps(config, stored)]
      return { from: file ?? 'the defaults and the environment', warnings }
    },
    ports: async () => portFacts(config, listening, heldBy(config)),
    async address() {
      // A proxy would answer in its place, and look like the fault.
      if ((await asked).facts === 'not running') throw new NotExamined('the service is not running')
      return shared.address!()
    },
    certificate: hasTls(config) ? () => certificateSeen(config, async () => (await opened.open()).store) : null,
    async clock() {
      // The line of the store says why there is none.
      const server = url === null ? null : await databaseServer(url.reveal()).catch(() => null)
      const record = await opened
        .open()
        .then(({ store }) => store.clockRecord())
        .catch(() => null)
      return {
        now: Date.now(),
        isBelieved: record === null ? null : record.doubt === null,
        isSynchronised: await createTimeSync()(Date.now()),
        aheadMs: server?.aheadMs ?? null,
      }
    },
    memory: async () => memoryFacts(config, (await asked).metrics),
    restore: testsRestore ? async () => (await import('../service/doctor/restore-test.ts')).restoreTest(config) : null,
    nodes: url === null ? null : () => nodeFacts(url.reveal()),
    async canary() {
      if (config.canary.everyMinutes === 0 || (config.mqtt.port === 'off' && config.mqtts.port === 'off')) return 'off'
      const { metrics } = await asked
      const age = metrics.get('tocsin_canary_age_seconds')
      if (age === undefined) throw new NotExamined('only the running service knows')
      const hasPassed = (metrics.get('tocsin_canary_runs_total') ?? 0) > 0
      const failuresInARow = metrics.get('tocsin_canary_failures_in_a_row') ?? 0
      const everyMs = config.canary.everyMinutes * MINUTE
      return { failuresInARow, passedAgoMs: hasPassed ? age * SECOND : null, everyMs }
    },
  }
}

const hasTls = (config: Config): boolean => listenersOn(config).some((name) => name === 'mqtts' || name === 'https')

/** Listeners whose port is known beforehand. */
const portsOf = (config: Config) =>
  [
    ...listenersOn(config).map((name) => ({ name, ...config[name] })),
    { name: 'acme', host: config.https.host, port: config.http.acmePort } as const,
  ].flatMap(({ name, host, port }) => (port === 'off' || port === 0 ? [] : [{ name, host, port }]))

type Holder = { readonly pid: number | null } | null | 'unknown'

/** The process that holds the data directory. */
function heldBy({ dataDir }: Config): Holder {
  try {
    return holderNow(dataDir)
  } catch {
    return 'unknown'
  }
}

function portFacts(config: Config, listening: Seen['listening'], holder: Holder): FactsOf<'ports'> {
  const pid = holder === null || holder === 'unknown' ? null : holder.pid
  const whoHas = (port: number): FactsOf<'ports'>['ports'][number]['holder'] => {
    const [first, ...others] = listening.get(port) ?? []
    if (first === undefined) return 'nobody'
    const isService = [first, ...others].some((who) => who !== null && who.pid === pid)
    return isService ? 'service' : (first ?? 'unknown')
  }
  const ports = portsOf(config).map(({ name, host, port }) => {
    return { name, address: `${isIPv6(host) ? `[${host}]` : host}:${port}`, holder: whoHas(port) }
  })
  return { ports, serviceRuns: holder !== null }
}

type Asked = {
  readonly facts: FactsOf<'service'>
  readonly release: typeof release | null
  readonly metrics: ReadonlyMap<string, number>
}

/** The running service's own report, over its listener. Never rejects. */
async function askService(config: Config): Promise<Asked> {
  const holder = heldBy(config)
  const nothing = { release: null, metrics: new Map<string, number>() }
  if (holder === null) return { ...nothing, facts: 'not running' }
  const pid = holder === 'unknown' ? null : holder.pid
  const at = portsOf(config).find(({ name }) => name === 'http') ?? portsOf(config).find(({ name }) => name === 'https')
  if (at === undefined) return { ...nothing, facts: { silent: 'neither http nor https has a port', pid: null } }
  const here = localAddressOf(at.host)
  const base = `${at.name}://${isIPv6(here) ? `[${here}]` : here}:${at.port}`
  const [ready, metrics] = await Promise.all([askOwn(`${base}/readyz`), askOwn(`${base}/metrics`)])
  if ('failed' in ready) return { ...nothing, facts: { silent: `${ready.failed} at ${base}`, pid } }
  const said = readySaid(ready.body)
  if (said === null) return { ...nothing, facts: { silent: `HTTP ${ready.status} at ${base}/readyz`, pid } }
  return { ...said, metrics: 'failed' in metrics || metrics.status !== 200 ? new Map() : valuesIn(metrics.body) }
}

/** `/readyz` lists concerns with the reasons. These never make a service unready. */
const CONCERNS = /^(public_url_|ends_unnamed)/

/** The body of `/readyz`; null if it is not one. */
function readySaid(body: string): Pick<Asked, 'facts' | 'release'> | null {
  try {
    const { status, reasons, version, commit = null } = JSON.parse(body)
    if (!Array.isArray(reasons) || typeof version !== 'string') return null
    const isConcern = (said: unknown): boolean => status === 'ready' || CONCERNS.test(String(said))
    const facts = {
      reasons: reasons.filter((said) => !isConcern(said)).map(String),
      concerns: reasons.filter(isConcern).map(String),
    }
    return { facts, release: { version, commit } }
  } catch {
    return null
  }
}

/** The one that clients get by name if there is one, else what the files say. */
async function certificateSeen(config: Config, open: () => Promise<Store>): Promise<FactsOf<'certificate'>> {
  const { certificate, concern } = await storedCertificate(config, open)
  if (certificate !== null) {
    const [leaf] = certificatesIn(certificate.cert) ?? []
    if (leaf === undefined) return { missing: 'the stored certificate cannot be read' }
    const { from: validFrom, to: validTo } = validityOf(leaf)
    const concerns = concern === null ? [] : [concern]
    const source = certificate.origin === 'tls.pem' ? 'operator' : 'acme'
    return {
      source,
      file: certificate.origin ?? '',
      names: namesOf(leaf),
      validFrom,
      validTo,
      now: Date.now(),
      concerns,
    }
  }
  const facts = await fileFacts(config)
  return concern === null || 'missing' in facts ? facts : { ...facts, concerns: [...facts.concerns, concern] }
}

async function fileFacts(config: Config): Promise<FactsOf<'certificate'>> {
  const found = await lookAtCertificate(tlsSourceOf(config), Date.now())
  return 'missing' in found ? found : certificateFacts(found, Date.now())
}

function memoryFacts(config: Config, metrics: Asked['metrics']): FactsOf<'memory'> {
  const limit = metrics.get('tocsin_memory_limit_bytes')
  const limitBytes = limit ?? memoryLimit()
  const { http, mqtt, boundBy } = connectionBudget({
    descriptors: metrics.get('process_max_fds') ?? descriptorLimit(),
    memoryBytes: limitBytes,
    requestsAtOnce: config.twilio.requestsAtOnce,
    listening: listeningDescriptors(config),
  })
  return {
    limitBytes,
    usedBytes: metrics.get('process_resident_memory_bytes') ?? null,
    mqttConnections: mqtt,
    httpConnections: http,
    boundBy,
    isOfService: limit !== undefined,
  }
}

async function modemFacts({ modem: { spool, smsdConfig } }: Config) {
  const quiet = { info() {}, warn() {}, error() {} }
  const report = smsdConfig === null ? null : await askDaemon(smsdConfig, quiet)()
  const isRunning = report?.isRunning ?? null
  return { name: 'modem', trouble: spoolTrouble(spool), signal: report?.signal ?? null, isRunning } as const
}

function spoolTrouble(spool: string | null): string | null {
  if (spool === null) return 'SMS modem: modem.spool is not set'
  try {
    for (const folder of ['outbox', 'sent', 'error', 'inbox']) {
      accessSync(join(spool, folder), constants.R_OK | constants.W_OK | constants.X_OK)
    }
    return null
  } catch {
    return 'SMS modem: modem.spool does not exist, or this user may not write there'
  }
}

async function nodeFacts(url: string): Promise<FactsOf<'nodes'>> {
  const { openNodes } = await import('../adapters/stores/postgres/open-store.ts')
  const store = openNodes(url)
  try {
    const { now, nodes } = await store.nodes()
    return nodes.map((node) => nodeView(node, now))
  } catch {
    throw new NotExamined('the database cannot be read')
  } finally {
    await store.close()
  }
}
