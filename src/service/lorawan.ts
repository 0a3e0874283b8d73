import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { HttpNeeds } from '../adapters/inbound/http/app.ts'
import { chirpStackMqttDownlinks } from '../adapters/inbound/network-server/chirpstack-downlinks.ts'
import type { EventSourceConnection } from '../adapters/inbound/network-server/chirpstack-mqtt.ts'
import { receiveEvents } from '../adapters/inbound/network-server/chirpstack-mqtt.ts'
import { chirpStackRestDownlinks, theThingsStackDownlinks } from '../adapters/outbound/network-server/http-downlinks.ts'
import { createDownlinkCourier, type DownlinkCourier } from '../app/downlinks/courier.ts'
import type { takeReport } from '../app/field/take-report.ts'
import { takeUplink } from '../app/field/take-uplink.ts'
import { unpairedUplinks } from '../app/field/unpaired-uplinks.ts'
import { ownTimers } from '../app/user/own-timers.ts'
import type { Config } from '../config.ts'
import { mayAlarm } from '../core/field/lorawan/map-uplink.ts'
import type { NetworkEvent } from '../core/field/lorawan/network-event.ts'
import { shippedProfiles } from '../core/field/lorawan/shipped.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { SECOND } from '../lib/durations.ts'
import type { DownlinkSender } from '../ports/downlink-sender.ts'
import type { Closers } from './closers.ts'
import type { Sending } from './sending.ts'
import type { Basis } from './storage.ts'

/** A network server that has not been connected for this long is a concern; a start takes a moment. */
const CONCERN_MS = 30 * SECOND

/**
 * `sources`: the network servers whose events are fetched over MQTT, by name, once they are being connected to.
 * `downlinks`: null if none of them accepts any. `homeless`: those whose application did not exist at the start.
 */
export type Lorawan = NonNullable<HttpNeeds['lorawan']> & {
  readonly sources: Map<string, EventSourceConnection>
  readonly homeless: Set<string>
  readonly downlinks: DownlinkCourier | null
  /** Why their trackers cannot press SOS, in words. */
  readonly concerns: () => readonly string[]
}

/** Handles uplinks of the configured network servers. Null without any. */
export function prepareLorawan(
  { lorawan, notifications }: Config,
  basis: Basis,
  {
    reports,
    sending,
  }: {
    readonly reports: ReturnType<typeof takeReport>
    readonly sending: Pick<Sending, 'sender' | 'caller' | 'dispatcher'>
  },
): Lorawan | null {
  const servers = new Map(
    Object.entries(lorawan.servers).map(([name, { type, application, profile, token }]) => [
      name,
      { server: { name, type, appId: application.toLowerCase(), profile }, token: token?.reveal() ?? null },
    ]),
  )
  if (servers.size === 0) return null
  const strangers = unpairedUplinks({
    ...basis,
    defaults: notifications.defaults,
    send: (notification) => sending.sender.send(notification),
  })
  const profiles = { ...shippedProfiles, ...lorawan.profiles }
  const sources: Lorawan['sources'] = new Map()
  const senders = downlinkSenders(lorawan.servers, { caller: sending.caller, sources })
  const isQuiet = async () => (await sending.dispatcher.overdueMs()) === 0
  const downlinks = senders.size === 0 ? null : createDownlinkCourier({ ...basis, senders, profiles, isQuiet })
  const take = takeUplink({ ...basis, reports, timers: ownTimers(basis), downlinks, strangers, profiles })
  const homeless: Lorawan['homeless'] = new Set()
  const concerns = () => networkServerConcerns({ sources, homeless }, basis.clock.now())
  return { servers, take, sources, homeless, downlinks, concerns }
}

/** The ways into the network servers' queues: an address that the operator gave, else the broker of the events. */
const downlinkSenders = (
  servers: Config['lorawan']['servers'],
  { caller, sources }: Pick<Lorawan, 'sources'> & Pick<Sending, 'caller'>,
): ReadonlyMap<string, DownlinkSender> =>
  new Map(
    Object.entries(servers).flatMap(
      ([name, { type, downlink, mqtt }]): readonly (readonly [string, DownlinkSender])[] => {
        if (downlink === null) return mqtt === null ? [] : [[name, chirpStackMqttDownlinks(() => sources.get(name))]]
        const target = { url: downlink.url, key: downlink.key.reveal(), webhook: downlink.webhook }
        const make = type === 'tts' ? theThingsStackDownlinks : chirpStackRestDownlinks
        return [[name, make({ target, caller })]]
      },
    ),
  )

/** Why trackers of network servers cannot press SOS, in words. `now`: epoch ms. */
const networkServerConcerns = (
  { sources, homeless }: Pick<Lorawan, 'sources' | 'homeless'>,
  now: number,
): readonly string[] => [
  ...[...homeless].map(homelessText),
  ...[...sources].flatMap(([name, { disconnectedSince }]) => {
    const since = disconnectedSince()
    if (since === null || Math.abs(now - since) < CONCERN_MS) return []
    return [`the network server ${name} has not been connected since ${isoAt(since)}: its trackers cannot press SOS`]
  }),
]

const homelessText = (name: string): string =>
  `lorawan.servers.${name}.application is not an application of this site: an SOS of its trackers alarms nobody`

/** Notes the network servers whose application does not exist. Never rejects. */
async function lookForApplications(
  { store, log }: Pick<Basis, 'store' | 'log'>,
  { servers, homeless }: Lorawan,
): Promise<void> {
  for (const [name, { server }] of servers) {
    try {
      if ((await store.application(server.appId)) !== null) continue
      homeless.add(name)
      log.error({ server: name }, homelessText(name))
    } catch (error) {
      log.warn({ server: name, err: error }, 'could not look for the application of the network server')
    }
  }
}

/**
 * Connects to the brokers of the network servers that have one. Called last: events that arrive from here on can be
 * stored, and sent. Each machine has its own session with each broker; several nodes all receive every event.
 */
export async function connectNetworkServers(
  { lorawan, dataDir }: Config,
  { store, clock, log, meter }: Pick<Basis, 'store' | 'clock' | 'log' | 'meter'>,
  taken: Lorawan | null,
  closers: Closers,
): Promise<void> {
  const sources = Object.entries(lorawan.servers).flatMap(([name, { mqtt }]) => (mqtt === null ? [] : [{ name, mqtt }]))
  const connected: Lorawan['sources'] = taken?.sources ?? new Map()
  const connections: EventSourceConnection[] = []
  type Source = readonly [string, Pick<EventSourceConnection, 'disconnectedSince'>]
  const shown = (read: (source: Source) => readonly [string, number]) => Object.fromEntries([...connected].map(read))
  meter.gauge({
    name: 'lorawan_connected',
    help: '1 while events of the network server are received over MQTT, else 0',
    label: 'server',
    read: () => shown(([name, { disconnectedSince }]) => [name, disconnectedSince() === null ? 1 : 0]),
  })
  meter.gauge({
    name: 'lorawan_disconnected_seconds',
    help: 'For how long no events of the network server have been received over MQTT; 0 while they are',
    label: 'server',
    read: () =>
      shown(([name, { disconnectedSince }]) => {
        const since = disconnectedSince()
        return [name, since === null ? 0 : Math.max(0, clock.now() - since) / SECOND]
      }),
  })
  meter.gauge({
    name: 'lorawan_downlinks_waiting',
    help: 'Incidents whose LoRaWAN tracker has something to be told, or a receipt to come',
    read: () => taken?.downlinks?.waiting() ?? 0,
  })
  if (taken === null) return
  await lookForApplications({ store, log }, taken)
  if (sources.length === 0) return
  const profiles = Object.values({ ...shippedProfiles, ...lorawan.profiles })
  const here = createHash('sha256').update(`${hostname()} ${dataDir}`).digest('hex').slice(0, 12)
  for (const { name, mqtt } of sources) {
    const known = taken.servers.get(name)
    if (known === undefined) continue
    const { url, username, topic, password } = mqtt
    const secret = password?.reveal() ?? null
    const source = { server: known.server, url, username, password: secret, topic, clientId: `tocsin-${name}-${here}` }
    const mayBeAlarm = (event: NetworkEvent) => mayAlarm(event, profiles)
    const connection = receiveEvents(source, { take: taken.take, mayAlarm: mayBeAlarm, clock, log })
    connections.push(connection)
    connected.set(name, connection)
  }
  closers.add(() => Promise.all(connections.map((connection) => connection.close())))
}
