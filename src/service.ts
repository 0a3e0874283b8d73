// One file: it starts the parts of the service, in the order in which they need one another.
import { type Broker, createBroker } from './adapters/inbound/broker/broker.ts'
import { createHttpServer } from './adapters/inbound/http/server.ts'
import { createHttpNotifiers } from './adapters/outbound/webhook/http-notifiers.ts'
import { createSystemClock } from './adapters/platform/system/clock.ts'
import { countryOf } from './adapters/platform/system/country-of.ts'
import { descriptorLimit } from './adapters/platform/system/descriptors.ts'
import { createIds } from './adapters/platform/system/ids.ts'
import { createLog } from './adapters/platform/system/log.ts'
import { createMeter } from './adapters/platform/system/meter.ts'
import { rateLimitedLog } from './adapters/platform/system/rate-limited-log.ts'
import { createTimeSync } from './adapters/platform/system/time-sync.ts'
import { machineTimeZone } from './adapters/platform/system/time-zone.ts'
import { refuseDamaged } from './adapters/stores/sqlite/engine/unusable.ts'
import { holdDataDir } from './adapters/stores/sqlite/files/hold-data-dir.ts'
import { removeUnfinishedRestore } from './adapters/stores/sqlite/files/restore.ts'
import { openStore } from './adapters/stores/sqlite/open-store.ts'
import type { Quotas } from './adapters/stores/sqlite/telemetry/quota.ts'
import { Calendar, type IsSynchronised } from './app/calendar.ts'
import { currentState } from './app/current-state.ts'
import { endSessions } from './app/end-sessions.ts'
import { identify, identifyMqtt } from './app/identify.ts'
import { createIncidentDoor } from './app/incident-door.ts'
import { ingestPublish } from './app/ingest-publish.ts'
import { ingestTelemetry } from './app/ingest-telemetry.ts'
import { ownAccount } from './app/own-account.ts'
import { ownIncident } from './app/own-incident.ts'
import { raiseSos } from './app/raise-sos.ts'
import { type Phase, readiness } from './app/readiness.ts'
import { keepRetention } from './app/retention.ts'
import { Dispatcher } from './app/sending/dispatcher.ts'
import { watchDestinations, watchProvider } from './app/sending/metrics.ts'
import { createSender } from './app/sending/sender.ts'
import { tracking } from './app/tracking.ts'
import { isLocalOnly } from './config/tracking-links.ts'
import type { Config } from './config.ts'
import { SECOND } from './lib/durations.ts'
import { Places } from './lib/places.ts'
import type { Clock } from './ports/clock.ts'
import type { Log } from './ports/log.ts'
import type { Store } from './ports/store.ts'
import { brokerAnswering, brokerAnswers } from './service/broker-answers.ts'
import { connectionBudget } from './service/connection-budget.ts'
import { showGauges } from './service/gauges.ts'
import { type Listeners, openListeners, tlsIdentity } from './service/listeners.ts'
import { providerCallbacks } from './service/provider-callbacks.ts'
import { defaultPublicUrl } from './service/public-url.ts'
import { restParts } from './service/rest-parts.ts'
import { textProviders } from './service/text-providers.ts'
import { stuckParts } from './service/watchdog.ts'

/** A running service. */
export type Service = {
  /** The addresses of the listeners that are on. */
  readonly listeners: Listeners
  readonly store: Store
  /** Resolves when nothing that was due is being looked at or sent any more. */
  settled(): Promise<void>
  /** Why the process had better be restarted: the parts that make no progress, none when all is well. */
  stuck(): Promise<readonly string[]>
  /** Looks at the certificate files again, as on SIGHUP. */
  reload(): Promise<void>
  /** Ends cleanly within 10 s: nothing new, what is under way is finished and recorded, the store closed last. */
  stop(): Promise<void>
}

/** What a test or a demonstration brings along instead of the real thing. */
export type Given = {
  readonly clock?: Clock
  readonly log?: Log
  readonly isSynchronised?: IsSynchronised
  /** Called when the store can no longer be trusted (a failed fsync): the process has to end. */
  readonly onFatal?: (error: Error) => void
}

/** What a small site has already when its phones come back after an outage. */
const FEW_CONNECTIONS = 1000
const SEND_GRACE_MS = 4 * SECOND

/**
 * Starts the whole service: the store first, then what works on it, the listeners last, so that nothing is accepted
 * that could not be kept. Rejects with a sentence for the operator where it cannot start; whatever was begun by
 * then is closed again.
 */
export async function startService(config: Config, given: Given = {}): Promise<Service> {
  const closers: (() => unknown)[] = []
  const life: Life = { phase: 'starting' }
  try {
    const service = await wire(config, given, closers, life)
    life.phase = 'running'
    return {
      ...service,
      stop() {
        life.phase = 'stopping'
        return closeAll(closers)
      },
    }
  } catch (error) {
    // Why it cannot start is what the operator has to know.
    await closeAll(closers).catch(() => {})
    throw error
  }
}

type Life = { phase: Phase }

/**
 * The newest first. One that fails does not keep the others from being closed; the first failure is thrown at the end.
 */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

async function wire(
  config: Config,
  given: Given,
  closers: (() => unknown)[],
  life: Readonly<Life>,
): Promise<Omit<Service, 'stop'>> {
  const clock = given.clock ?? systemClock(closers)
  const log = rateLimitedLog(given.log ?? createLog(config.log.level), () => clock.now())
  const ids = createIds()
  const meter = createMeter()
  const timeZone = machineTimeZone()
  const onFatal = given.onFatal ?? (() => process.exit(1))

  closers.push(await holdDataDir(config.dataDir))
  removeUnfinishedRestore(config.dataDir)
  refuseDamaged(config.dataDir)
  const diskReserveBytes = config.limits.diskReserveMb * 1024 * 1024
  const store = await openStore({
    dataDir: config.dataDir,
    defaults: config.notifications.defaults,
    leaveNotices: false,
    backgroundCheckpoints: true,
    quotas: quotasOf(config.limits),
    diskReserveBytes,
    maxWaitingBytes: config.limits.waitingMb * 1024 * 1024,
    log,
    meter,
    onFatal,
  })
  closers.push(() => store.close())

  const { allowPrivateTargets } = config.notifications
  const http = createHttpNotifiers({ allowPrivateTargets, clock, log })
  closers.push(() => http.close())
  let broker: Broker | null = null
  let publicUrl = config.publicUrl ?? ''
  const text = await textProviders(config, {
    store,
    clock,
    log,
    meter,
    caller: http.caller,
    publicUrl: () => publicUrl,
  })
  closers.push(() => text.close())
  const dispatcher = new Dispatcher({
    store,
    door: () => door,
    notifier: createSender({
      text: watchDestinations(text, { log, meter, countryOf }),
      http: watchProvider('http', http.http, { meter }),
      chat: watchProvider('chat', http.chat, { meter }),
      webhook: watchProvider('webhook', http.webhook, { meter }),
    }),
    clock,
    ids,
    log,
    meter,
    publicUrl: () => publicUrl,
    machineTimeZone: timeZone,
  })
  // After the dispatcher: deadlines move with the clock before anybody wonders whether it is right.
  const calendar = new Calendar({
    store,
    clock,
    isSynchronised: given.isSynchronised ?? createTimeSync(),
    defaults: config.notifications.defaults,
    log,
  })
  closers.push(() => calendar.stop())
  const isDateBelieved = () => calendar.isBelieved()
  const door = createIncidentDoor({
    store,
    publisher: {
      publish: (events) => {
        for (const { topics, message } of events) broker?.publish(topics, JSON.stringify(message))
      },
    },
    log,
    changed: (incidentId, at) => dispatcher.changed(incidentId, at),
  })

  const connections = connectionBudget(descriptorLimit())
  if (connections.mqtt < FEW_CONNECTIONS) {
    log.warn(connections, 'the limit for open files is low, and each connection needs one: raise it (ulimit -n)')
  }
  const parts = { store, door, clock, ids, log, meter, machineTimeZone: timeZone }
  broker = await createBroker({
    identify: identifyMqtt(parts),
    ingest: ingestPublish(parts),
    isCongested: (userId) => store.isCongested(userId),
    readState: config.mqtt.stateOnSubscribe ? currentState(parts) : null,
    log,
    meter,
    limits: {
      maxPacketBytes: config.mqtt.maxPacketBytes,
      inFlight: config.limits.inFlightPerConnection,
      messagesPerSecond: config.limits.messagesPerSecondPerConnection,
      bytesPerSecond: config.limits.bytesPerSecondPerConnection,
    },
    places: new Places({ max: connections.mqtt, maxPerAddress: connections.mqtt, endsWorking: true }),
  })
  const live = broker
  // For a start that fails from here on; a stop closes it earlier, below.
  closers.push(() => live.close())

  const tls = await tlsIdentity(config, { log, clock })
  if (tls !== null) closers.push(() => tls.close())
  const overdueMs = () => dispatcher.overdueMs()
  // Asked once everything runs, so after the listeners are known.
  let knock = async (): Promise<void> => {}
  const isReady = readiness({ phase: () => life.phase, store, brokerAnswers: () => knock(), overdueMs })
  showGauges(meter, {
    store,
    files: store.files,
    isDateBelieved,
    broker: live,
    text,
    tls,
    readiness: isReady,
    overdueMs,
    diskReserveBytes,
  })
  const rest = restParts(config, parts)
  const server = await createHttpServer(
    {
      identify: identify(parts),
      raiseSos: raiseSos(parts),
      ingestTelemetry: ingestTelemetry(parts),
      ownIncident: ownIncident(parts),
      ownAccount: ownAccount({ ...parts, contactsPerUser: config.limits.contactsPerUser }),
      tracking: tracking({ ...parts, isDateBelieved }),
      ...rest,
      providerCallbacks: await providerCallbacks(config, { ...parts, publicUrl: () => publicUrl }),
      clock,
      log,
      meter,
      metricsText: () => meter.text(),
      readiness: isReady,
      concerns: () => [calendar.concern()].filter((concern) => concern !== null),
      trustProxy: typeof config.http.trustProxy === 'boolean' ? config.http.trustProxy : [...config.http.trustProxy],
      docs: config.docs.enabled,
      maxConnections: connections.http,
      metricsToken: config.metrics.token?.reveal() ?? null,
    },
    tls?.secureContextOptions ?? null,
  )
  closers.push(
    () => server.close(),
    // Side by side: a provider that hangs and a client that lingers together must not cost more
    // than the 10 s of a stop.
    () => Promise.all([live.close(), dispatcher.stop(SEND_GRACE_MS)]),
  )
  // Before anything comes in: what is stored from then on says nothing of the time before.
  await calendar.start()
  const listeners = await openListeners(config, { broker: live, http: server, tls })
  knock = brokerAnswering(listeners)
  publicUrl ||= defaultPublicUrl(listeners)
  if (isLocalOnly(publicUrl)) {
    log.warn(
      { publicUrl },
      'tracking links only work on this machine; set publicUrl to an address that contacts can reach',
    )
  }

  const end = endSessions({ store, live })
  closers.push(
    store.onNotice((notice) => {
      if (notice.kind === 'committed') return door.announce(notice)
      if (notice.kind === 'clock_accepted') return calendar.accept()
      rest.mqttCallbacks.endSessions(notice.appId)
      end(notice.appId).catch((error) => log.error({ err: error }, 'could not check sessions'))
    }),
  )
  dispatcher.start()
  const { telemetryDays, incidentDays, outboxDays, deadLetterDays, feedbackDays } = config.retention
  const days = {
    telemetry: telemetryDays,
    incidents: incidentDays,
    outbox: outboxDays,
    deadLetters: deadLetterDays,
    feedback: feedbackDays,
  }
  closers.push(keepRetention({ store, clock, log, days, isDateBelieved }))
  const reload = async () => tls?.reload()
  const stuck = stuckParts({
    store,
    brokerAnswers: () => brokerAnswers(listeners),
    dispatcherStalledMs: () => dispatcher.stalledMs(),
  })
  return { listeners, store, reload, stuck, settled: () => dispatcher.settled() }
}

const quotasOf = (limits: Config['limits']): Quotas => ({
  telemetryBytes: limits.telemetryMbPerUser * 1024 * 1024,
  deadLetterBytes: limits.deadLetterKbPerUser * 1024,
  feedbackRows: limits.feedbackPerUser,
  incidents: limits.incidentsPerUser,
})

function systemClock(closers: (() => unknown)[]): Clock {
  const clock = createSystemClock()
  closers.push(() => clock.stop())
  return clock
}
