import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ClientSession } from '../../../core/account/session.ts'
import { ignore } from '../../../lib/ignore.ts'
import { checkEvery, inSteps } from '../../../lib/in-steps.ts'
import { LoopTurns } from '../../../lib/loop-turns.ts'
import { networkOf } from '../../../lib/network-of.ts'
import type { Places } from '../../../lib/places.ts'
import type { Log } from '../../../ports/log.ts'
import type { Meter } from '../../../ports/meter.ts'
import type { Balancers } from '../door/balancers.ts'
import { listen } from '../door/listen.ts'
import type { Address } from '../door/listen-widely.ts'
import type { Certificate } from '../door/secure.ts'
import { Admissions, type Claims, type Identify } from './admission/admit.ts'
import { type PendingConnection, PendingConnections } from './admission/pending-connections.ts'
import { type Accepting, type MqttTransport, mqttTransports, type Remote } from './admission/remote.ts'
import { listenOnUpgrade } from './admission/websocket.ts'
import { startAedes } from './delivery/aedes.ts'
import { type ReadState, States } from './delivery/states.ts'
import { defaultLimits, type GateLimits, SETTLE_ON_CLOSE_MS } from './limits.ts'
import { Gate, type GateServices } from './session/gate.ts'
import { createInbound, type Ingest, type IngestTracker } from './session/inbound.ts'
import { Shares } from './session/shares.ts'
import type { Connect } from './wire/connect.ts'
import { Reason } from './wire/frame.ts'

export type BrokerNeeds = {
  readonly identify: Identify
  readonly ingest: Ingest
  /** Absent: no tracker is admitted. */
  readonly ingestTracker?: IngestTracker
  /**
   * Reads the state that a client gets after it has subscribed to its events (rules.md#state-on-subscribe). Null (the
   * default): clients get no state.
   */
  readonly readState?: ReadState | null
  readonly log: Log
  readonly meter: Meter
  /** Whether too many writes wait for the disk, of this user or in total. */
  readonly isCongested?: (userId: string) => boolean
  /** Overrides of `defaultLimits`. */
  readonly limits?: Partial<GateLimits>
  /**
   * Bounds the connections of all users together: logged-in ones count as working, others as resting. Without it there
   * is no bound.
   */
  readonly places?: Places
  /**
   * Whether this process made the connection itself, to see that the listener works. It needs no place, and takes none
   * from a client. Absent: none.
   */
  readonly isOwn?: (connection: Duplex) => boolean
  /** Null (the default): no other node has clients. */
  readonly claims?: Claims | null
  /** The load balancers whose connections begin with a PROXY header. Absent: none. */
  readonly balancers?: Balancers | null
}

type Listener = {
  /** `mqtt://host:port` or `mqtts://host:port` as bound. */
  readonly url: string
  /** Stops accepting; open connections stay. */
  close(): Promise<void>
}

export type Broker = {
  /** Takes over an accepted connection of any kind. */
  handleStream(stream: Duplex, remote: Remote): void
  /** Listens for MQTT, over TLS with a certificate. Port 0 picks a free port. Rejects if the address is taken. */
  listen(at: Address, certificate?: Certificate): Promise<Listener>
  /** Serves MQTT over WebSocket on the upgrades of an HTTP listener. Close the broker before that listener. */
  attachWebSocket(server: HttpServer, addressOf?: (request: IncomingMessage) => string): void
  /**
   * Sends `payload` to the current subscribers of each of `topics`, at QoS 1 and not retained. Never waits, never
   * fails.
   */
  publish(topics: readonly string[], payload: string): void
  /** Closes the connections of these sessions (MQTT 5: 0x98) without firing their wills, and returns how many. */
  closeWhere(predicate: (session: ClientSession) => boolean): number
  /**
   * While suspended it admits nobody (CONNACK 3, MQTT 5: 0x88). Suspending closes every client's connection (MQTT 5:
   * 0x8B) without firing its will.
   */
  suspend(isSuspended: boolean): void
  /** The number of connected, admitted clients. */
  connections(): number
  /** The same by transport. Behind a proxy that ends TLS, this is the transport from the proxy. */
  connectionsByWay(): Readonly<Record<MqttTransport, number>>
  /** Their sessions, one for each connection. */
  sessions(): readonly ClientSession[]
  /** Settles once every login now being checked is either among `sessions` or refused. Never rejects. */
  decided(): Promise<void>
  /**
   * Stops listening and reading, gives publishes in flight up to 5 s to settle, then ends every connection (MQTT 5:
   * 0x8B). Wills do not fire: a service that stops does not mean that its users' trackers have failed.
   */
  close(): Promise<void>
}

const CHECK_MS = 1000
/** In place of an address: failed logins and waiting clients behind a proxy of this machine do not count for it. */
const OWN = 'own'

/** The MQTT broker: MQTT 3.1.1 and 5 over any stream. protocol.md#mqtt, protocol.md#events. */
export async function createBroker(parts: BrokerNeeds): Promise<Broker> {
  const { log, meter } = parts
  const limits: GateLimits = { ...defaultLimits, ...parts.limits }
  /** Every open connection, and how it arrived. */
  const gates = new Map<Gate, MqttTransport>()
  const listeners = new Set<{ close(): unknown }>()
  /** Connections that have been accepted and are no gate's: most are in a TLS handshake. */
  const entering = new Set<Duplex>()
  const admissions = new Admissions({
    identify: parts.identify,
    log,
    meter,
    maxPerUser: limits.connectionsPerUser,
    claims: parts.claims ?? null,
  })
  const states = parts.readState ? new States({ read: parts.readState, log }) : null
  const loop = new LoopTurns()
  const shares = new Shares(loop)
  const pendingConnections = new PendingConnections(limits.pendingPerAddress)
  const inbound = createInbound(parts)
  const deliveries = await startAedes({
    limits,
    log,
    takeWill: inbound.takeWill,
    forgotten: (connection) => admissions.forgotten(connection),
  })

  const stopChecks = checkEvery(CHECK_MS, async (now) => {
    states?.check(now)
    await inSteps(gates.keys(), (gate) => gate.check(now))
  })

  let closing: Promise<void> | null = null

  const services: GateServices = {
    limits,
    shares,
    states,
    take: inbound.take,
    isCongested: ({ userId }) => parts.isCongested?.(userId) ?? false,
    enter: (gate) => deliveries.enter(gate),
    refused: (operation) => meter.count('mqtt_refusals_total', { operation }),
    failed: ({ userId }, error) => log.error({ err: error, userId }, 'cannot store an MQTT publish'),
  }

  const meet = (from: string, connection: Duplex) => {
    const isOwn = parts.isOwn?.(connection) ?? false
    const address = isOwn ? OWN : from
    const place = isOwn
      ? undefined
      : parts.places?.take(networkOf(address), () => {
          // Not its fault, so not a failed login.
          pending.becomesKnown()
          connection.destroy()
        })
    const pending = pendingConnections.arrives(address, () => connection.destroy(), place)
    connection.on('close', () => {
      pending.leaves()
      place?.leaves()
    })
    if (place === null) connection.destroy()
    return pending
  }

  function forget(this: Gate): void {
    gates.delete(this)
  }

  /** A login costs 0.3 ms, and thousands may come at once. `member`: the username that it claims, if it is a login. */
  const turnOf = (address: string, member = '') => {
    const caller = { kind: 'connection', group: networkOf(address), member } as const
    return (piece: () => void): void => loop.run(caller, piece)
  }

  const handleStream = (stream: Duplex, remote: Remote, pending = meet(remote.address, stream)): PendingConnection => {
    if (closing !== null) {
      stream.on('error', ignore)
      stream.destroy()
      return pending
    }
    const admit = (connect: Connect) => {
      const start = turnOf(remote.address, connect.username ?? '')
      return admissions.admit(connect, gate, pending, (login) => new Promise((done) => start(() => done(login()))))
    }
    const gate: Gate = new Gate(stream, admit, services, pending.since)
    gates.set(gate, remote.way)
    gate.on('close', forget)
    return pending
  }

  const accepting: Accepting = { accept: handleStream, turnOf }

  const open = async (at: Address, certificate?: Certificate): Promise<Listener> => {
    const { balancers = null, places, isOwn } = parts
    const way = certificate === undefined ? 'tcp' : 'tls'
    const listening = await listen(at, {
      loop,
      balancers,
      places,
      ...(isOwn && { isOwn }),
      ...(certificate && { tls: { certificate, handshakeMs: limits.connectMs } }),
      meet(connection, { address }) {
        const pending = meet(address, connection)
        entering.add(connection)
        connection.once('close', () => entering.delete(connection))
        return (stream) => {
          entering.delete(connection)
          handleStream(stream, { address, way }, pending)
        }
      },
    })
    listeners.add(listening)
    return {
      url: `${certificate === undefined ? 'mqtt' : 'mqtts'}://${listening.authority}`,
      close: () => listening.close(),
    }
  }

  const shutDown = async (): Promise<void> => {
    for (const listener of listeners) void listener.close()
    for (const connection of entering) connection.destroy()
    for (const gate of gates.keys()) gate.stopReading()
    const deadline = performance.now() + SETTLE_ON_CLOSE_MS
    while ([...gates.keys()].some((gate) => gate.inFlight > 0) && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const ended = [...gates.keys()].map((gate) => new Promise<void>((resolve) => gate.whenStreamClosed(resolve)))
    for (const gate of [...gates.keys()]) gate.expelWithoutWill(Reason.serverShuttingDown)
    await Promise.all(ended)
    stopChecks()
    await deliveries.close()
  }

  return {
    handleStream: (stream, remote) => void handleStream(stream, remote),
    listen: open,
    attachWebSocket(server, addressOf) {
      const { maxPacketBytes } = limits
      listeners.add(listenOnUpgrade(server, { maxPacketBytes, ...(addressOf && { addressOf }) }, accepting))
    },
    publish(topics, payload) {
      const bytes = Buffer.from(payload)
      for (const topic of topics) {
        deliveries.publish(topic, bytes, (error) => {
          // While the broker closes, nobody is left to receive the event.
          if (error && closing === null) log.error({ err: error }, 'cannot publish an event')
        })
      }
    },
    closeWhere(predicate) {
      const ended = [...admissions.connections].filter(({ session }) => predicate(session))
      for (const { gate } of ended) gate.expelWithoutWill(Reason.administrativeAction)
      return ended.length
    },
    suspend(isSuspended) {
      admissions.isSuspended = isSuspended
      if (!isSuspended) return
      for (const { gate } of [...admissions.connections]) gate.expelWithoutWill(Reason.serverShuttingDown)
    },
    connections: () => admissions.connections.size,
    connectionsByWay() {
      const count = Object.fromEntries(mqttTransports.map((way) => [way, 0])) as Record<MqttTransport, number>
      for (const { gate } of admissions.connections) count[gates.get(gate)!]++
      return count
    },
    sessions: () => [...admissions.connections].map(({ session }) => session),
    decided: () => admissions.decided(),
    close() {
      closing ??= shutDown()
      return closing
    },
  }
}
