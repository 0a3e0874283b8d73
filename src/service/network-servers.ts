import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { chirpStackMqttDownlinks } from '../adapters/inbound/network-server/chirpstack-downlinks.ts'
import type { EventSource, EventSourceConnection } from '../adapters/inbound/network-server/chirpstack-mqtt.ts'
import { type AddressGuard, guardedBroker } from '../adapters/outbound/http/guarded-socket.ts'
import { chirpStackRestDownlinks, theThingsStackDownlinks } from '../adapters/outbound/network-server/http-downlinks.ts'
import { printWithSecrets } from '../config/fields.ts'
import type { Config } from '../config.ts'
import type { NetworkServer } from '../core/field/lorawan/network-event.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import { SECOND } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { DownlinkSender } from '../ports/downlink-sender.ts'
import type { HttpCaller } from '../ports/http-caller.ts'
import type { Log } from '../ports/log.ts'
import type { ApplicationStore } from '../ports/store.ts'

/** A network server that has not been connected for this long is a concern; a start takes a moment. */
const CONCERN_MS = 30 * SECOND

type Servers = Config['lorawan']['servers']
type Definition = Servers[string]

type Known = { server: NetworkServer; token: string | null; definition: Definition; isHomeless: boolean }
type Connected = Pick<EventSourceConnection, 'disconnectedSince'>

type NetworkServerNeeds = {
  readonly store: Pick<ApplicationStore, 'application'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly caller: Pick<HttpCaller, 'post'>
  /** For their brokers, where they are set in the console. */
  readonly guard: AddressGuard | null
  readonly dataDir: string
}

/** The network servers in force, by name. They can be replaced while their events and messages are under way. */
export type NetworkServers = {
  readonly known: ReadonlyMap<string, Pick<Known, 'server' | 'token'>>
  /** The ways into their queues, of those that accept messages. */
  readonly senders: ReadonlyMap<string, DownlinkSender>
  /** The ones whose events are fetched over MQTT. */
  readonly sources: ReadonlyMap<string, Connected>
  /**
   * Unchanged servers are left alone, with their connections. `isKept`: a server that stays although it is not among
   * them.
   */
  replace(servers: Servers, isKept: (name: string) => boolean): void
  /**
   * Connects to the brokers, from here on to those of later servers at once. `receive`: connects to one; `stopped`:
   * nothing more can be stored.
   */
  connect(receive: (source: EventSource, stopped: AbortSignal) => EventSourceConnection): Promise<void>
  /** Why trackers cannot press SOS, in words. */
  concerns(): readonly string[]
  close(): Promise<void>
}

export function networkServers(first: Servers, needs: NetworkServerNeeds): NetworkServers {
  const { store, clock, log, caller, guard, dataDir } = needs
  const known = new Map<string, Known>()
  const senders = new Map<string, DownlinkSender>()
  const sources = new Map<string, EventSourceConnection>()
  /** By name: settles when the work on its connection is done. A broker ends the older of two with the same id. */
  const lanes = new Map<string, Promise<void>>()
  const stopped = new AbortController()
  let open: ((source: EventSource) => EventSourceConnection) | null = null
  // Each machine has its own session with each broker; several nodes all receive every event.
  const here = createHash('sha256').update(`${hostname()} ${dataDir}`).digest('hex').slice(0, 12)

  /** Leaves the broker that the server had, and connects to the one that it has now. */
  function reconnect(name: string): void {
    const former = sources.get(name)
    sources.delete(name)
    const lane = (lanes.get(name) ?? Promise.resolve())
      .then(() => former?.leave())
      .catch((error) => log.warn({ server: name, err: error }, 'the former broker could not be left in order'))
      .then(() => {
        const entry = known.get(name)
        if (open === null || stopped.signal.aborted || sources.has(name)) return
        if (entry !== undefined && entry.definition.mqtt !== null) sources.set(name, open(sourceOf(entry)))
      })
      .finally(() => {
        if (lanes.get(name) === lane) lanes.delete(name)
      })
    lanes.set(name, lane)
  }

  const sourceOf = (entry: Known): EventSource => {
    const { url, username, topic, password } = entry.definition.mqtt!
    const { name } = entry.server
    return {
      ...{ url, username, topic, password: password?.reveal() ?? null, clientId: `tocsin-${name}-${here}` },
      open: guard && ((address) => guardedBroker(address, guard)),
      get server() {
        return entry.server
      },
    }
  }

  async function lookForApplication(name: string, entry: Known): Promise<void> {
    const { server } = entry
    try {
      const isHomeless = (await store.application(server.appId)) === null
      if (entry.server !== server) return
      entry.isHomeless = isHomeless
      if (isHomeless) log.error({ server: name }, homelessText(name))
    } catch (error) {
      log.warn({ server: name, err: error }, 'could not look for the application of the network server')
    }
  }

  function put(name: string, definition: Definition): void {
    const { type, application, profile, token, mqtt } = definition
    const server = { name, type, appId: application.toLowerCase(), profile }
    const before = known.get(name)
    const entry = before ?? { server, token: null, definition, isHomeless: false }
    const isOtherBroker = printWithSecrets(before?.definition.mqtt ?? null) !== printWithSecrets(mqtt)
    Object.assign(entry, { server, token: token?.reveal() ?? null, definition })
    known.set(name, entry)
    const sender = senderOf(definition, { caller, connection: () => sources.get(name) })
    if (sender === null) senders.delete(name)
    else senders.set(name, sender)
    if (open === null) return
    if (isOtherBroker) reconnect(name)
    void lookForApplication(name, entry)
  }

  const remove = (name: string): void => {
    known.delete(name)
    senders.delete(name)
    reconnect(name)
  }

  for (const [name, definition] of Object.entries(first)) put(name, definition)

  return {
    known,
    senders,
    sources,
    replace(servers, isKept) {
      for (const name of known.keys()) if (!Object.hasOwn(servers, name) && !isKept(name)) remove(name)
      for (const [name, definition] of Object.entries(servers)) {
        const before = known.get(name)
        if (before === undefined || printWithSecrets(before.definition) !== printWithSecrets(definition)) {
          put(name, definition)
        }
      }
    },
    async connect(receive) {
      open = (source) => receive(source, stopped.signal)
      for (const [name, entry] of known) await lookForApplication(name, entry)
      for (const name of known.keys()) reconnect(name)
    },
    concerns: () => [
      ...[...known].flatMap(([name, { isHomeless }]) => (isHomeless ? [homelessText(name)] : [])),
      ...[...sources].flatMap(([name, { disconnectedSince }]) => {
        const since = disconnectedSince()
        if (since === null || Math.abs(clock.now() - since) < CONCERN_MS) return []
        return [
          `the network server ${name} has not been connected since ${isoAt(since)}: its trackers cannot press SOS`,
        ]
      }),
    ],
    async close() {
      stopped.abort()
      await Promise.all(lanes.values())
      await Promise.all([...sources.values()].map((source) => source.close()))
    },
  }
}

/** An address that the operator gave, else the broker of the events. Null: none. */
function senderOf(
  { type, downlink, mqtt }: Definition,
  {
    caller,
    connection,
  }: Pick<NetworkServerNeeds, 'caller'> & { readonly connection: () => EventSourceConnection | undefined },
): DownlinkSender | null {
  if (downlink === null) return mqtt === null ? null : chirpStackMqttDownlinks(connection)
  const target = { url: downlink.url, key: downlink.key.reveal(), webhook: downlink.webhook }
  const make = type === 'tts' ? theThingsStackDownlinks : chirpStackRestDownlinks
  return make({ target, caller })
}

const homelessText = (name: string): string =>
  `lorawan.servers.${name}.application is not an application of this site: an SOS of its trackers alarms nobody`
