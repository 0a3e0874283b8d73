import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { Aedes, type Client, type PublishPacket } from 'aedes'
import type { Session } from '../../../../core/account/session.ts'
import { maySubscribe } from '../../../../core/ingest/topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { GateLimits } from '../limits.ts'

/** A connection as Aedes sees it: its packets, its user, and whether its will fires. */
type Participant = Duplex & { readonly session: Session | null; readonly withholdsWill: boolean }

/**
 * Who is connected, what they have subscribed to, and their wills: what Aedes keeps for us. Publishes never get here.
 */
type Deliveries = {
  /** Hands over a connection whose user is verified. Its CONNECT is the first thing that it reads. */
  enter(participant: Participant): void
  /** Sends a message to the current subscribers of `topic`, QoS 1, not retained. */
  publish(topic: string, payload: Buffer, done: (error?: Error) => void): void
  close(): Promise<void>
}

type DeliveriesParts = {
  readonly limits: GateLimits
  readonly log: Log
  /** A will fires; `session` is null where it must not. Answers whether it was stored. Never rejects. */
  readonly takeWill: (session: Session | null, will: { topic: string; payload: Buffer }) => Promise<boolean>
  /** Aedes has forgotten this connection. */
  readonly forgotten: (connection: object) => void
}

type Hooks = Pick<Aedes, 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
type Done = (error?: Error | null) => void

/** The one place that knows Aedes. */
export async function startAedes(parts: DeliveriesParts): Promise<Deliveries> {
  const { limits, log, forgotten } = parts
  const participants = new WeakSet<object>()
  const aedes = await Aedes.createBroker({
    // Unbounded, so that one slow delivery does not hold up the others; the gate drops slow readers.
    concurrency: 0,
    drainTimeout: 5000,
    maximumPacketSize: limits.maxPacketBytes,
    receiveMaximum: limits.receiveMaximum,
    // Client ids arrive scoped to the user, so longer than MQTT 3.1 allows on the wire.
    maxClientsIdLength: 1024,
    ...createHooks(parts, participants),
  })
  const events: EventEmitter = aedes
  events.on('error', (error: unknown) => log.error({ err: error }, 'MQTT broker fault'))
  // What a client did wrong shows in the counters of refusals.
  events.on('clientError', () => {})
  events.on('connectionError', () => {})
  aedes.on('clientDisconnect', (client) => forgotten(client.conn))
  return {
    enter(participant) {
      participants.add(participant)
      aedes.handle(participant)
    },
    publish(topic, payload, done) {
      aedes.publish({ cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false }, done)
    },
    close: () => new Promise((resolve) => aedes.close(() => resolve())),
  }
}

/** No hook throws or rejects: in Aedes that is an uncaught error. */
function createHooks({ takeWill }: DeliveriesParts, participants: WeakSet<object>): Hooks {
  const participantOf = (client: Client | null): Participant | null =>
    client !== null && participants.has(client.conn) ? (client.conn as Participant) : null
  const sessionOf = (client: Client | null): Session | null => participantOf(client)?.session ?? null

  const wills = async (client: Client | null, packet: PublishPacket, done: Done): Promise<void> => {
    const participant = participantOf(client)
    // Nothing but a will is published through Aedes; by then its client is closed.
    const mayFire = (client === null || client.closed) && participant?.withholdsWill === false
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload)
    const isStored = await takeWill(mayFire ? participant.session : null, { topic: packet.topic, payload })
    try {
      done(isStored ? null : new Error('topic not allowed'))
    } catch {
      // Aedes stumbled over a connection that ended meanwhile.
      participant?.destroy()
    }
  }

  return {
    preConnect: (client, _packet, done) => done(participantOf(client) ? null : new Error('not through the gate'), true),
    authenticate: (client, _username, _password, done) => done(null, sessionOf(client) !== null),
    authorizePublish: (client, packet, done) => void wills(client, packet, done),
    // The gate passes on only topics that the client may subscribe to.
    authorizeSubscribe: (client, subscription, done) => done(null, sessionOf(client) === null ? null : subscription),
    // Checked again for each delivery: no fault in Aedes may show one user the events of another.
    authorizeForward: (client, packet) => {
      const session = sessionOf(client)
      return session !== null && maySubscribe(packet.topic, session) ? packet : null
    },
  }
}
