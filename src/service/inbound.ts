// One file: the wiring of all that comes in, by hand and in the order in which it is made.

import type { Broker } from '../adapters/inbound/broker/broker.ts'
import { createHttpServer, type HttpServer } from '../adapters/inbound/http/server.ts'
import { countriesAt } from '../adapters/platform/system/countries-at.ts'
import { descriptorLimit } from '../adapters/platform/system/descriptors.ts'
import { memoryLimit } from '../adapters/platform/system/memory-limit.ts'
import { isPossibleNumber } from '../adapters/platform/system/possible-number.ts'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { tracking } from '../app/answers/tracking.ts'
import { ClientClaims } from '../app/connections/client-claims.ts'
import { endSessions } from '../app/connections/end-sessions.ts'
import { endTrackers } from '../app/connections/end-trackers.ts'
import { identify } from '../app/connections/identify.ts'
import { stuckFlags } from '../app/field/stuck-flags.ts'
import { takeReport } from '../app/field/take-report.ts'
import { ingestTelemetry } from '../app/ingest/ingest-telemetry.ts'
import { raiseSos } from '../app/ingest/raise-sos.ts'
import { signedIn } from '../app/operator/signed-in.ts'
import { type Phase, readiness } from '../app/ready/readiness.ts'
import { surveyReadiness } from '../app/ready/readiness-survey.ts'
import { userReadiness } from '../app/ready/user-readiness.ts'
import type { Calendar } from '../app/upkeep/calendar.ts'
import { ownAccount } from '../app/user/own-account.ts'
import { ownIncident } from '../app/user/own-incident.ts'
import { trackerOf } from '../app/user/own-trackers.ts'
import { verifyContacts } from '../app/user/verify-contacts.ts'
import type { Canary } from '../app/watch/canary.ts'
import { isSilentlyOpen } from '../app/watch/silent-emergency.ts'
import { siteFactsOf } from '../config/provider-channels.ts'
import { type Config, listenersOn } from '../config.ts'
import { isCanary } from '../core/account/canary.ts'
import { timerTopic } from '../core/ingest/topic.ts'
import type { TimerReminder } from '../core/timer/timer.ts'
import { SECOND } from '../lib/durations.ts'
import { LISTENING_SOCKETS } from '../lib/listen-widely.ts'
import { StoreError } from '../ports/store.ts'
import type { Addresses } from './addresses.ts'
import { balancersOf } from './balancers.ts'
import { brokerAnswering } from './broker-answers.ts'
import type { Closers } from './closers.ts'
import { siteConcerns } from './concerns.ts'
import { connectionBudget } from './connection-budget.ts'
import { estateParts } from './estate-parts.ts'
import { showGauges } from './gauges.ts'
import { lorawanParts } from './lorawan.ts'
import { memoryShares } from './memory-shares.ts'
import { prepareBroker } from './mqtt.ts'
import { operatorParts } from './operator-parts.ts'
import { providerCallbacks } from './provider-callbacks.ts'
import { restParts } from './rest-parts.ts'
import type { Sending } from './sending.ts'
import { shiftsWatched } from './shifts.ts'
import { siteMapParts } from './site-map.ts'
import { type Basis, diskReserveBytes } from './storage.ts'

export type Inbound = {
  /** What takes uplinks of network servers. Null without any. */
  readonly lorawan: ReturnType<typeof lorawanParts>
  readonly broker: Broker
  readonly http: HttpServer
  /** Null where no listener needs it. */
  readonly tls: TlsIdentity | null
  /** Null where no other node has clients. */
  readonly claims: ClientClaims | null
  /** Ends the sessions of an application that would no longer be admitted as they were. */
  readonly endSessions: (appId: string) => void
  /** A note or tick was added to the incident. */
  readonly noted: (incidentId: string) => void
  /** Why it is not ready, as `/readyz` says it. */
  readonly readiness: () => Promise<readonly string[]>
  /** Tells the user's own connections that a timer is about to run out. */
  readonly remind: (reminder: TimerReminder) => void
  /**
   * Whether this node is cut off from the database. Then it closes every MQTT connection, admits none and forgets who
   * was admitted: the clients find another node, or reconnect and get their state.
   */
  readonly cutOff: (isCutOff: boolean) => void
  /** `listener`: called when a contact is to be asked. */
  readonly onVerificationAsked: (listener: () => void) => void
}

/** Even a small site needs this many when its phones reconnect after an outage. */
const FEW_CONNECTIONS = 1000
const causes = {
  descriptors: 'the limit for open files is low, and each connection needs one: raise it (ulimit -n)',
  memory: 'this process may use little memory, which bounds its connections (docs/operating.md, Memory)',
} as const
const SEND_GRACE_MS = 4 * SECOND

/** The third stage: what comes in, over MQTT and HTTP. Nothing listens yet. */
export async function prepareInbound(
  config: Config,
  basis: Basis,
  parts: {
    readonly sending: Sending
    readonly calendar: Calendar
    readonly addresses: Addresses
    readonly phase: () => Phase
    readonly tls: TlsIdentity | null
    /** Null where it is off. */
    readonly canary: Canary | null
    /** Asked only once the service runs. */
    readonly timerOverdueMs: () => number
    readonly silentDevices: () => number
  },
  closers: Closers,
): Promise<Inbound> {
  const { store, clock, sharedClock, log, meter } = basis
  const { sending, calendar, addresses, phase, tls, canary } = parts
  const { dispatcher, text } = sending
  const memoryBytes = memoryLimit()
  const { requestsAtOnce } = config.twilio
  const listening = listenersOn(config).length * LISTENING_SOCKETS
  const connections = connectionBudget({ descriptors: descriptorLimit(), memoryBytes, requestsAtOnce, listening })
  if (connections.mqtt < FEW_CONNECTIONS) log.warn(connections, causes[connections.boundBy])
  const claims = clientClaims(basis)
  closers.add(() => claims?.close())
  const tellStuck = stuckFlags({
    ...basis,
    defaults: config.notifications.defaults,
    send: (notification) => sending.sender.send(notification),
  })
  const reports = takeReport({
    ...basis,
    tellStuck,
    isWatched: signedIn(basis),
    reportsPerMinute: config.limits.requestsPerMinutePerUser,
  })
  const broker = await prepareBroker(config, basis, { connections, claims, canary, reports })
  // For a start that fails from here on; a stop closes it earlier, below.
  closers.add(() => broker.close())

  const overdueMs = () => dispatcher.overdueMs()
  const isDateBelieved = () => calendar.isBelieved()
  const isReady = readiness({
    phase,
    store,
    brokerAnswers: brokerAnswering(addresses.listeners, config.mqtt.proxyProtocol),
    overdueMs,
    leaseTrouble: () => basis.lease?.trouble ?? null,
    canaryTrouble: () => canary?.trouble() ?? null,
  })
  const facts = siteFactsOf(config)
  const readinessOfUsers = userReadiness({
    store,
    clock,
    defaults: config.notifications.defaults,
    site: () => ({
      ...facts,
      isDown: store.trouble() !== null,
      isFailing: sending.health.isFailing(),
      ...(text.modem !== null && { modem: text.modem.state.level(performance.now()) }),
    }),
    isPossible: isPossibleNumber,
  })
  const survey = surveyReadiness({
    readiness: readinessOfUsers,
    clock,
    log,
    mayRun: () => basis.lease?.isHousekeeper !== false,
  })
  closers.add(() => survey.stop())
  showGauges(meter, {
    usersByReadiness: () => survey.counts(),
    store,
    files: basis.files,
    sharedClock,
    isDateBelieved,
    broker,
    text,
    tls,
    readiness: isReady,
    overdueMs,
    timerOverdueMs: () => parts.timerOverdueMs(),
    silentDevices: () => parts.silentDevices(),
    lease: basis.lease,
    canary,
    noticesAgeMs: () => store.noticesAgeMs?.() ?? 0,
    diskReserveBytes: diskReserveBytes(config.limits),
    memoryBytes,
  })
  const map = await siteMapParts(config, basis.log, closers)
  const rest = await restParts(config, basis)
  const { trustProxy } = config.http
  const identified = identify(basis)
  let isCutOffNow = false
  let verificationAsked = () => {}
  const concerns = siteConcerns(basis, { ...parts, lorawan: () => lorawan })
  const endSessionsOf = (appId: string): void => {
    // Its sessions end with their press; an erasure of what it left must not cut the next one short.
    if (isCanary(appId)) return
    rest.mqttCallbacks.endSessions(appId)
    liveSessions.end(appId)
  }
  const { sender } = sending
  const asking = { perDay: config.limits.verificationsPerDay, onRequest: () => verificationAsked() }
  const estate = estateParts(config, basis, {
    sender,
    endSessions: endSessionsOf,
    readiness: isReady,
    userReadiness: readinessOfUsers,
    concerns,
    asking,
    calendar,
  })
  const sessionEnded = config.console.enabled ? shiftsWatched(basis, isDateBelieved, closers) : () => {}
  const operator = config.console.enabled ? operatorParts(config, basis, addresses, estate, sessionEnded) : null
  const lorawan = lorawanParts(config, basis, { reports, sending })
  const http = await createHttpServer(
    {
      // At once: a request that waits for the database could have found another node.
      identify: (credentials) => (isCutOffNow ? Promise.reject(cutOffError()) : identified(credentials)),
      raiseSos: raiseSos(basis),
      ingestTelemetry: ingestTelemetry(basis),
      ownIncident: ownIncident(basis),
      ownAccount: ownAccount({ ...basis, ...config.limits, asking, isPossible: isPossibleNumber }),
      userReadiness: readinessOfUsers,
      verification: verifyContacts({ ...basis, ...asking }),
      tracking: tracking({ ...basis, isDateBelieved, countriesAt, ...config.tracking }),
      onIncidentChange: (listener) =>
        basis.door.follow(({ incidentId }) => {
          if (incidentId !== null) listener(incidentId)
        }),
      trackers: { of: trackerOf(basis), reports },
      ...(lorawan !== null && { lorawan }),
      ...rest,
      map,
      ...(operator !== null && { operator }),
      providerCallbacks: await providerCallbacks(config, { ...basis, publicUrl: addresses.publicUrl }),
      clock,
      log,
      meter,
      ...(store.noticesAgeMs !== undefined && { databaseSilentMs: store.noticesAgeMs }),
      metricsText: () => meter.text(),
      readiness: isReady,
      concerns,
      trustProxy: typeof trustProxy === 'boolean' ? trustProxy : [...trustProxy],
      balancers: balancersOf(config.http.proxyProtocol, log),
      docs: config.docs.enabled,
      maxConnections: connections.http,
      longBodyBytes: memoryShares(memoryBytes, config.limits).longBodyBytes,
      metricsToken: config.metrics.token?.reveal() ?? null,
    },
    tls?.secureContextOptions ?? null,
  )
  closers.add(
    () => http.close(),
    // Side by side: a provider that hangs and a client that lingers must not take more than the 10 s of a stop.
    () => Promise.all([broker.close(), dispatcher.stop(SEND_GRACE_MS)]),
  )

  const liveSessions = endSessions({ store, live: broker, log })
  closers.add(() => liveSessions.close(), endTrackers({ ...basis, live: broker }))
  return {
    lorawan,
    broker,
    http,
    tls,
    claims,
    endSessions: endSessionsOf,
    onVerificationAsked(listener) {
      verificationAsked = listener
    },
    readiness: isReady,
    // Where that is unknown, the phone stays dark: who is not reminded is looked for.
    remind: (reminder) =>
      void isSilentlyOpen(store, reminder.userId).then(
        (isSilent) => isSilent || broker.publish([timerTopic(reminder.userId)], JSON.stringify(reminder)),
        (error) => log.warn({ err: error, timerId: reminder.timerId }, 'could not remind a user of a timer'),
      ),
    noted: (incidentId) => operator?.changes.noted(incidentId),
    cutOff(isCutOff) {
      isCutOffNow = isCutOff
      if (isCutOff) log.error({}, 'cut off from the database: MQTT clients are disconnected until it answers again')
      else log.info({}, 'the database answers again: MQTT clients are admitted')
      if (isCutOff) rest.mqttCallbacks.endAllSessions()
      broker.suspend(isCutOff)
      // Changes of others may have gone by.
      operator?.changes.reset()
    },
  }
}

const cutOffError = (): StoreError => new StoreError('this node is cut off from the database', 'unreachable')

/** Of two connections with the same client id on two nodes the newer one stays. */
function clientClaims({ store: { announceClients }, lease, log }: Basis): ClientClaims | null {
  if (announceClients === undefined || lease === null) return null
  const hasOthers = (): boolean => lease.node === null || lease.node.others.length > 0
  const claims = new ClientClaims({ announce: announceClients, hasOthers, log })
  lease.onOthers(() => claims.meet())
  return claims
}
