import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { Aedes, type Client, type PublishPacket } from 'aedes'
import { type ClientSession, isTracker } from '../../../../core/account/session.ts'
import { maySubscribe } from '../../../../core/ingest/topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { GateLimits } from '../limits.ts'

/** A connection as Aedes sees it: its packets, its user, and whether its will is withheld. */
type Participant = Duplex & { readonly session: ClientSession | null; readonly withholdsWill: boolean }

/** Aedes keeps connections, subscriptions and wills for us. Publishes never get here. */
type Deliveries = {
  /** Hands over a connection whose user is verified. The first packet that Aedes reads from it is its CONNECT. */
  enter(participant: Participant): void
  /** Sends a message to the current subscribers of `topic`, at QoS 1 and not retained. */
  publish(topic: string, payload: Buffer, done: (error?: Error) => void): void
  close(): Promise<void>
}

type DeliveryNeeds = {
  readonly limits: GateLimits
  readonly log: Log
  /** A will fires; `session` is null if it must not. Resolves to whether the will was stored. Never rejects. */
  readonly takeWill: (session: ClientSession | null, will: { topic: string; payload: Buffer }) => Promise<boolean>
  /** Aedes has forgotten this connection. */
  readonly forgotten: (connection: object) => void
}

type Hooks = Pick<Aedes, 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
type Done = (error?: Error | null) => void

/** The only module that depends on Aedes. */
export async function startAedes(needs: DeliveryNeeds): Promise<Deliveries> {
  const { limits, log, forgotten } = needs
  const participants = new WeakSet<object>()
  const aedes = await Aedes.createBroker({
    // Unbounded, so that a slow delivery does not hold up the others; the gate drops slow readers.
    concurrency: 0,
    drainTimeout: 5000,
    maximumPacketSize: limits.maxPacketBytes,
    receiveMaximum: limits.receiveMaximum,
    // Client ids are already scoped to the user, so they exceed the length that MQTT 3.1 allows on the wire.
    maxClientsIdLength: 1024,
    ...createHooks(needs, participants),
  })
  const events: EventEmitter = aedes
  events.on('error', (error: unknown) => log.error({ err: error }, 'MQTT broker fault'))
  // Client errors show in the refusal counters.
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

/** Hooks must not throw or reject: Aedes turns that into an uncaught error. */
function createHooks({ takeWill }: DeliveryNeeds, participants: WeakSet<object>): Hooks {
  const participantOf = (client: Client | null): Participant | null =>
    client !== null && participants.has(client.conn) ? (client.conn as Participant) : null
  const sessionOf = (client: Client | null): ClientSession | null => participantOf(client)?.session ?? null

  const wills = async (client: Client | null, packet: PublishPacket, done: Done): Promise<void> => {
    const participant = participantOf(client)
    // Only wills are published through Aedes, and their clients are closed by then.
    const mayFire = (client === null || client.closed) && participant?.withholdsWill === false
    const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload)
    const isStored = await takeWill(mayFire ? participant.session : null, { topic: packet.topic, payload })
    try {
      done(isStored ? null : new Error('topic not allowed'))
    } catch {
      // Aedes failed on a connection that ended in the meantime.
      participant?.destroy()
    }
  }

  return {
    preConnect: (client, _packet, done) => done(participantOf(client) ? null : new Error('not through the gate'), true),
    authenticate: (client, _username, _password, done) => done(null, sessionOf(client) !== null),
    authorizePublish: (client, packet, done) => void wills(client, packet, done),
    // The gate only forwards topics that the client may subscribe to.
    authorizeSubscribe: (client, subscription, done) => done(null, sessionOf(client) === null ? null : subscription),
    // Checked again at each delivery: no bug in Aedes may show one user another user's events.
    authorizeForward: (client, packet) => {
      const session = sessionOf(client)
      return session !== null && !isTracker(session) && maySubscribe(packet.topic, session) ? packet : null
    },
  }
}
