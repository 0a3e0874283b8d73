import { UserStreams } from '../adapters/inbound/http/sdk/user-streams.ts'
import type { HttpServer } from '../adapters/inbound/http/server.ts'
import { descriptorLimit, memoryLimit } from '../adapters/platform/system/process-limits.ts'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { stuckFlags } from '../app/field/stuck-flags.ts'
import { takeReport } from '../app/field/take-report.ts'
import { signedIn } from '../app/operator/signed-in.ts'
import type { Phase } from '../app/ready/readiness.ts'
import { deskNews } from '../app/talk/desk-news.ts'
import type { Calendar, IsSynchronised } from '../app/upkeep/calendar.ts'
import type { NightlyBackups } from '../app/upkeep/nightly-backup.ts'
import { sealedCards } from '../app/user/cards.ts'
import type { RemovalNews } from '../app/user/removal-news.ts'
import type { Canary } from '../app/watch/canary.ts'
import { watchOnCall } from '../app/watch/on-call-watch.ts'
import type { Config } from '../config.ts'
import { SECOND } from '../lib/durations.ts'
import { onDemand } from '../lib/on-demand.ts'
import type { Log } from '../ports/log.ts'
import type { WebApps } from '../ports/web-apps.ts'
import type { Addresses } from './addresses.ts'
import { type ConnectionBudget, connectionBudget } from './budget.ts'
import type { Certificates } from './certificates.ts'
import type { Closers } from './closers.ts'
import { serviceDoctor } from './doctor/service-doctor.ts'
import { type Health, prepareHealth } from './health.ts'
import { prepareHttp } from './http.ts'
import { listeningDescriptors } from './listeners.ts'
import { type Lorawan, prepareLorawan } from './lorawan.ts'
import { type Mqtt, prepareMqtt } from './mqtt.ts'
import { consoleChanges, prepareOperatorApi } from './operator.ts'
import type { Sending } from './sending.ts'
import { type SosBySms, smsSosOf } from './sms-sos.ts'
import type { Basis } from './storage.ts'
import type { WebPush } from './web-push.ts'

export type Inbound = {
  readonly mqtt: Mqtt
  readonly lorawan: Lorawan
  readonly health: Health
  readonly http: HttpServer
  /** The streams of events of apps without MQTT. */
  readonly streams: UserStreams
  readonly sos: SosBySms
  /** Loaded with the first removal that a person asks for, or whose text is still to leave. */
  readonly removalNews: () => Promise<RemovalNews>
  /** Another process has signed an operator in or out. */
  readonly deskChanged: () => void
  /** A note or tick was added to the incident. */
  readonly noted: (incidentId: string) => void
  /**
   * This node is cut off from the database, or no longer. Cut off, it closes every MQTT connection, admits none and
   * forgets who was admitted: the clients find another node, or reconnect and get their state.
   */
  readonly cutOff: (isCutOff: boolean) => void
}

const SEND_GRACE_MS = 4 * SECOND

/** The third stage: everything that receives, over MQTT and HTTP. Nothing listens yet. */
export async function prepareInbound(
  config: Config,
  basis: Basis,
  {
    sending,
    calendar,
    isSynchronised,
    canary,
    backups,
    addresses,
    tls,
    certificates,
    phase,
    webApps,
    push,
  }: {
    readonly sending: Sending
    readonly calendar: Calendar
    readonly isSynchronised: IsSynchronised
    /** Null if it is off. */
    readonly canary: Canary | null
    /** Null if they are off. */
    readonly backups: NightlyBackups | null
    readonly addresses: Addresses
    readonly tls: TlsIdentity | null
    readonly certificates: Certificates
    readonly phase: () => Phase
    readonly webApps: WebApps | undefined
    readonly push: WebPush
  },
  closers: Closers,
): Promise<Inbound> {
  const { log } = basis
  const memoryBytes = memoryLimit()
  const connections = connectionsOf(config, memoryBytes, log)
  const reports = reportsOf(config, basis, sending)
  const streams = new UserStreams()
  const mqtt = await prepareMqtt(config, basis, { maxConnections: connections.mqtt, canary, reports, streams }, closers)
  const desk = deskNews({ ...basis, tell: mqtt.tellReaders })
  closers.add(() => desk.stop())
  const changes = config.console.enabled ? consoleChanges(basis) : null
  const noted = (incidentId: string): void => changes?.noted(incidentId)
  const sos = smsSosOf(basis, { sending, publicUrl: addresses.publicUrl, noted }, closers)
  const lorawan = prepareLorawan(config, basis, { reports, sending })
  const cards = sealedCards(basis)
  const onCallWatch = watchOnCall(basis)
  closers.add(() => onCallWatch.stop())
  const health = prepareHealth(
    config,
    basis,
    {
      phase,
      addresses,
      sending,
      calendar,
      canary,
      backups,
      lorawan,
      certificates,
      cards,
      sos,
      onCall: onCallWatch,
      push,
    },
    closers,
  )
  const asking = { perDay: config.limits.verificationsPerDay, onRequest: () => sending.courier.wake() }
  const examined = { addresses, sending, calendar, isSynchronised, health, canary, tls, connections }
  const doctor = serviceDoctor(basis, examined)
  const operator =
    changes &&
    prepareOperatorApi(
      config,
      basis,
      {
        changes,
        addresses,
        sending,
        calendar,
        health,
        backups,
        cards,
        doctor,
        asking,
        onCallWatch,
        certificates,
        tls,
        endSessions: mqtt.endSessions,
        tellBySms: sos.told,
        onDeskChanged: desk.changed,
        push: push.ownOperator,
      },
      closers,
    )
  let isCutOff = false
  const sendText: Sending['sender']['send'] = (text) => sending.sender.send(text)
  const removalNews = onDemand(async () => {
    const { removalNews: of } = await import('../app/user/removal-news.ts')
    const news = of({ ...basis, sendText })
    closers.add(news.stop)
    return news
  })
  const http = await prepareHttp(
    config,
    basis,
    {
      isCutOff: () => isCutOff,
      isDateBelieved: () => calendar.isBelieved(),
      callbacks: mqtt.callbacks,
      maxConnections: connections.http,
      memoryBytes,
      reports,
      streams,
      cards,
      asking,
      lorawan,
      health,
      operator,
      addresses,
      webApps,
      push,
      tls,
      endSessions: mqtt.endSessions,
      sendText,
      removalNews,
      sos,
    },
    closers,
  )
  closers.add(
    () => http.close(),
    // Side by side: a provider that hangs and a client that lingers must not take more than the 10 s of a stop.
    () => Promise.all([mqtt.broker.close(), sending.dispatcher.stop(SEND_GRACE_MS)]),
    mqtt.watchSessions(),
  )
  return {
    mqtt,
    lorawan,
    health,
    http,
    streams,
    sos,
    removalNews,
    deskChanged: desk.changed,
    noted,
    cutOff(isNow) {
      isCutOff = isNow
      if (isNow) log.error({}, 'cut off from the database: MQTT clients are disconnected until it answers again')
      else log.info({}, 'the database answers again: MQTT clients are admitted')
      mqtt.suspend(isNow)
      // Changes by other nodes may have been missed.
      changes?.reset()
    },
  }
}

/** Even a small site needs this many when its phones reconnect after an outage. */
const FEW_CONNECTIONS = 1000
const causes = {
  descriptors: 'the limit for open files is low, and each connection needs one: raise it (ulimit -n)',
  memory: 'this process may use little memory, which bounds its connections (docs/operating.md, Memory)',
} as const

function connectionsOf(config: Config, memoryBytes: number, log: Log): ConnectionBudget {
  const { requestsAtOnce } = config.twilio
  const listening = listeningDescriptors(config)
  const connections = connectionBudget({ descriptors: descriptorLimit(), memoryBytes, requestsAtOnce, listening })
  if (connections.mqtt < FEW_CONNECTIONS) log.warn(connections, causes[connections.boundBy])
  return connections
}

/** Handles reports of trackers, whatever the transport. */
function reportsOf({ notifications, limits }: Config, basis: Basis, { sender }: Sending) {
  const tellStuck = stuckFlags({
    ...basis,
    defaults: notifications.defaults,
    send: (notification) => sender.send(notification),
  })
  return takeReport({
    ...basis,
    tellStuck,
    isWatched: signedIn(basis),
    reportsPerMinute: limits.requestsPerMinutePerUser,
  })
}
