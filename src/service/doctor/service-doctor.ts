import { memoryLimit } from '../../adapters/platform/system/process-limits.ts'
import type { TlsIdentity } from '../../adapters/platform/tls/identity.ts'
import { type DoctorReport, examine } from '../../app/doctor/examine.ts'
import type { FactSources } from '../../app/doctor/subjects.ts'
import { nodeView } from '../../app/operator/nodes.ts'
import type { Calendar, IsSynchronised } from '../../app/upkeep/calendar.ts'
import type { Canary } from '../../app/watch/canary.ts'
import { configWarnings } from '../../config/warnings.ts'
import type { Config } from '../../config.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { MINUTE, SECOND } from '../../lib/durations.ts'
import { release, releaseOfFiles } from '../../lib/release.ts'
import { joinedCalls } from '../../lib/shared-reads.ts'
import type { Addresses } from '../addresses.ts'
import type { ConnectionBudget } from '../budget.ts'
import type { Health } from '../health.ts'
import type { Sending } from '../sending.ts'
import type { Basis } from '../storage.ts'
import { certificateFacts, sharedSources } from './facts.ts'

/** A report is given out for this long: providers and disks must not be asked each time somebody reloads a page. */
const FRESH_MS = 30 * SECOND

type Needs = {
  readonly addresses: Addresses
  readonly sending: Pick<Sending, 'text'>
  readonly calendar: Pick<Calendar, 'isBelieved'>
  readonly isSynchronised: IsSynchronised
  readonly health: Pick<Health, 'readiness' | 'concerns'>
  readonly canary: Canary | null
  readonly tls: Pick<TlsIdentity, 'info'> | null
  readonly connections: ConnectionBudget
}

export type DatedReport = DoctorReport & { readonly examinedAt: string }

/** The report of the running service. Those who ask meanwhile, or within half a minute, get the same one. */
export function serviceDoctor(basis: Basis, needs: Needs): () => Promise<DatedReport> {
  let last: DatedReport | null = null
  let madeAt = Number.NEGATIVE_INFINITY
  return joinedCalls(async () => {
    if (last !== null && performance.now() - madeAt < FRESH_MS) return last
    last = { ...(await examine(sourcesOf(basis.site.now, basis, needs))), examinedAt: isoAt(basis.clock.now()) }
    madeAt = performance.now()
    return last
  })
}

function sourcesOf(config: Config, basis: Basis, needs: Needs): FactSources {
  const { store, clock, sharedClock, nodes } = basis
  const { publicUrl, listeners } = needs.addresses
  const { sending, calendar, isSynchronised, health, canary, tls, connections } = needs
  const { url } = config.store
  return {
    ...sharedSources({
      config,
      publicUrl,
      store: async () => store,
      now: async () => clock.now(),
      async modem() {
        const { state } = sending.text.modem ?? { state: null }
        const { report = null } = state ?? {}
        const trouble = state?.trouble() ?? null
        return { name: 'modem', trouble, signal: report?.signal ?? null, isRunning: report?.isRunning ?? null }
      },
      server:
        url === null
          ? null
          : async () => (await import('../../adapters/stores/postgres/look-at-server.ts')).lookAtServer(url.reveal()),
    }),
    version: () => ({ files: releaseOfFiles(), running: release }),
    service: async () => ({ reasons: await health.readiness(), concerns: health.concerns() }),
    configuration: () => ({
      from: 'in force, with what is set in the console; docs/setup.md names what only the file sets',
      warnings: [...configWarnings(config), ...basis.site.overlaps()],
    }),
    ports: () => ({
      ports: Object.entries(listeners()).map(([name, address]) => ({ name, address, holder: 'service' })),
      serviceRuns: true,
    }),
    certificate: tls && (() => certificateFacts(tls.info(), clock.now())),
    clock: async () => ({
      now: clock.now(),
      isBelieved: calendar.isBelieved(),
      isSynchronised: await isSynchronised(clock.now()),
      aheadMs: sharedClock?.machineLeadMs() ?? null,
    }),
    memory: () => ({
      limitBytes: memoryLimit(),
      usedBytes: process.memoryUsage.rss(),
      mqttConnections: connections.mqtt,
      httpConnections: connections.http,
      boundBy: connections.boundBy,
      isOfService: true,
    }),
    // Takes room on the disk, and minutes.
    restore: null,
    nodes:
      nodes &&
      (async () => {
        const { now, nodes: all } = await nodes.nodes()
        return all.map((node) => nodeView(node, now))
      }),
    canary: () =>
      canary === null
        ? 'off'
        : {
            failuresInARow: canary.failuresInARow(),
            passedAgoMs: canary.hasPassed() ? canary.ageMs() : null,
            everyMs: config.canary.everyMinutes * MINUTE,
          },
  }
}
