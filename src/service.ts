import { memoryLimit } from './adapters/platform/system/process-limits.ts'
import { createTimeSync } from './adapters/platform/system/time-sync.ts'
import type { openStore } from './adapters/stores/sqlite/open-store.ts'
import type { Phase } from './app/ready/readiness.ts'
import { Calendar, type IsSynchronised } from './app/upkeep/calendar.ts'
import { OverdueTimers } from './app/watch/overdue-timers.ts'
import { GAP_MS, watchSilence } from './app/watch/silent-devices.ts'
import type { Config } from './config.ts'
import { MINUTE } from './lib/durations.ts'
import type { Clock } from './ports/clock.ts'
import type { HttpCaller } from './ports/http-caller.ts'
import type { Log } from './ports/log.ts'
import type { Store } from './ports/store.ts'
import type { WebApps } from './ports/web-apps.ts'
import { Addresses } from './service/addresses.ts'
import type { ConfigSources } from './service/backup/backup-job.ts'
import { prepareBackups } from './service/backup/backups.ts'
import { prepareCanary } from './service/canary.ts'
import { type CertificateGiven, prepareCertificates } from './service/certificates.ts'
import { Closers } from './service/closers.ts'
import { showGauges } from './service/gauges.ts'
import { prepareInbound } from './service/inbound.ts'
import type { Listeners } from './service/listeners.ts'
import { tlsIdentity } from './service/listeners.ts'
import { open } from './service/open.ts'
import { brokerAnswers } from './service/own-listener.ts'
import { prepareSending } from './service/sending.ts'
import { showSetupLink } from './service/setup-link.ts'
import { type Basis, diskReserveBytes, openStorage } from './service/storage.ts'
import { stuckParts } from './service/watchdog.ts'
import { prepareWebPush } from './service/web-push.ts'

/** A running service. */
export type Service = {
  /** The addresses of the listeners that are on. */
  readonly listeners: Listeners
  readonly store: Store
  /** Resolves once no due item is being processed or sent. */
  settled(): Promise<void>
  /** The parts that make no progress, for which the process should be restarted; none when all is well. */
  stuck(): Promise<readonly string[]>
  /**
   * On a site without operators, makes the address for the first administrator, and writes it to the terminal or,
   * without one, to a file.
   */
  offerSetup(terminal: ((text: string) => void) | null): Promise<void>
  /** Looks at the certificate files again, and tries to get a certificate that is due, as on SIGHUP. */
  reload(): Promise<void>
  /** Ends cleanly within 10 s: accepts nothing new, finishes and records work under way, closes the store last. */
  stop(): Promise<void>
}

/** Replacements for real parts, in tests and the demonstration. */
export type Given = {
  readonly clock?: Clock
  readonly log?: Log
  readonly isSynchronised?: IsSynchronised
  /** Called when the store can no longer be used (a failed fsync, a site copied elsewhere): the process has to end. */
  readonly onFatal?: (error: Error) => void
  readonly openStore?: typeof openStore
  /** The sources of the configuration, for backups. */
  readonly sources?: ConfigSources
  readonly certificates?: CertificateGiven
  /** The applications with the app in the box. */
  readonly webApps?: WebApps
  /** Calls push services. */
  readonly pushCaller?: HttpCaller
}

/**
 * Starts the whole service in four stages: its files, the sending side, the receiving side, and last the listeners, so
 * that nothing is accepted that could not be kept. If the start fails, everything opened so far is closed again, and it
 * rejects with a sentence for the operator.
 */
export async function startService(config: Config, given: Given = {}): Promise<Service> {
  const closers = new Closers()
  const life: { phase: Phase } = { phase: 'starting' }
  try {
    const service = await start(config, given, () => life.phase, closers)
    life.phase = 'running'
    return {
      ...service,
      stop() {
        life.phase = 'stopping'
        return closers.closeAll()
      },
    }
  } catch (error) {
    // The operator has to know why it cannot start.
    await closers.closeAll().catch(() => {})
    throw error
  }
}

/** If the machine's clock agrees with the shared one, its time service vouches for both. */
function timeSyncOf({ sharedClock }: Pick<Basis, 'sharedClock'>): IsSynchronised {
  const ofMachine = createTimeSync()
  if (sharedClock === null) return ofMachine
  return async (now) => Math.abs(sharedClock.machineLeadMs()) < MINUTE && (await ofMachine(now))
}

async function start(
  written: Config,
  given: Given,
  phase: () => Phase,
  closers: Closers,
): Promise<Omit<Service, 'stop'>> {
  const basis = await openStorage(written, given, closers)
  // As it is now: the parts that can change while they run follow `basis.site`.
  const config = basis.site.now
  const { store, clock, log, meter, lease } = basis
  const certificates = prepareCertificates(config, basis, given.certificates ?? {}, closers)
  const tls = await tlsIdentity(config, basis, certificates.publicPair)
  if (tls !== null) closers.add(() => tls.close())
  const addresses = new Addresses(config.publicUrl)
  basis.site.follow(['publicUrl'], ({ publicUrl }) => addresses.configure(publicUrl))
  const sending = await prepareSending(config, basis, addresses, closers)
  const { dispatcher, sender, text } = sending
  const { defaults } = config.notifications
  const push = prepareWebPush(basis, { publicUrl: addresses.publicUrl, caller: given.pushCaller }, closers)
  // After the dispatcher: deadlines move with the clock before the calendar judges whether it is right.
  const isSynchronised = given.isSynchronised ?? timeSyncOf(basis)
  const calendar = new Calendar({ store, clock, isSynchronised, defaults, log })
  closers.add(() => calendar.stop())
  const isDateBelieved = () => calendar.isBelieved()
  const canary = prepareCanary(config, basis, addresses)
  const sources = given.sources ?? { configFile: null, variables: {} }
  const backups = prepareBackups(config, basis, { sources, calendar }, closers)
  const parts = {
    sending,
    calendar,
    isSynchronised,
    canary,
    backups,
    addresses,
    certificates,
    tls,
    phase,
    webApps: given.webApps,
    push,
  }
  const inbound = await prepareInbound(config, basis, parts, closers)
  const { mqtt, health } = inbound
  const timers = new OverdueTimers({
    ...basis,
    isDateBelieved,
    publish: mqtt.remind,
    push: push.remind,
    sendText: (message) => sender.send(message),
  })
  closers.add(() => timers.stop())
  const { newestMoment } = await store.clockRecord()
  const silence = watchSilence({
    ...basis,
    defaults,
    isDateBelieved,
    mayRun: () => lease?.isHousekeeper !== false,
    send: (notification) => sender.send(notification),
    // A short stop loses no report: devices send again.
    listeningSince: Math.abs(clock.now() - newestMoment) < GAP_MS ? 0 : clock.now(),
  })
  closers.add(() => silence.stop())
  showGauges(meter, {
    ...basis,
    broker: mqtt.broker,
    streams: inbound.streams,
    text,
    tls,
    readiness: health.readiness,
    overdueMs: () => dispatcher.overdueMs(),
    timerOverdueMs: () => timers.overdueMs(),
    silentDevices: silence.count,
    usersByReadiness: health.usersByStatus,
    onCallFindings: health.onCallFindings,
    noticesAgeMs: () => store.noticesAgeMs?.() ?? 0,
    canary,
    backups,
    diskReserveBytes: diskReserveBytes(config.limits),
    memoryBytes: memoryLimit(),
    isDateBelieved,
  })
  // Before anything comes in: later records tell nothing of the time before.
  await calendar.start()
  const listeners = await open(
    config,
    basis,
    { inbound, sending, calendar, addresses, tls, timers, canary, backups },
    closers,
  )
  const reload = async () => tls?.reload()
  const acme = await certificates.open({ isDateBelieved, reload })
  return {
    listeners: acme === null ? listeners : { ...listeners, acme },
    store,
    async settled() {
      await timers.settled()
      await dispatcher.settled()
      await push.settled()
    },
    stuck: stuckParts({
      store,
      brokerAnswers: () => brokerAnswers(listeners, config.mqtt.proxyProtocol),
      dispatcherStalledMs: () => dispatcher.stalledMs(),
    }),
    async offerSetup(terminal) {
      const certificate = tls?.info() ?? null
      closers.add(await showSetupLink(config, { ...basis, listeners, certificate, terminal }))
    },
    async reload() {
      await reload()
      certificates.tryNow()
    },
  }
}
