import type { Aedes, Client, PublishPacket } from 'aedes'
import type { Session } from '../../core/session.ts'
import { maySubscribe, type PublishKind, publishKind } from '../../core/topic.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import { Reason } from './frame.ts'
import { Gate } from './gate.ts'

/**
 * Takes in one publish. Resolves after its commit: `stored`, `dead_lettered` (kept, but of no use), or `refused` (not the sender's own
 * after all, as a legacy alert in another's name). Rejects where it could not be committed. May be called concurrently.
 */
export type Ingest = (publish: {
  session: Session
  kind: PublishKind
  topic: string
  payload: Buffer
}) => Promise<'stored' | 'dead_lettered' | 'refused'>

type InboundParts = {
  readonly ingest: Ingest
  readonly log: Log
  readonly meter: Meter
  /** Connections whose wills do not fire: closed by the operator or by the end of the service. */
  readonly silenced: WeakSet<Gate>
}

type Hooks = Pick<Aedes, 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
type Done = (error?: Error | null) => void

/**
 * The hooks of Aedes. The commit happens inside `authorizePublish`: Aedes writes the PUBACK right after its callback, and before
 * anything it would route. No hook throws or rejects; one that never ends is ended by the gate, with its connection.
 */
export function createHooks(parts: InboundParts): Hooks {
  return {
    preConnect: (client, _packet, done) => done(gateOf(client) ? null : new Error('not through the gate'), true),
    authenticate: (client, _username, _password, done) => done(null, sessionOf(client) !== null),
    authorizePublish: (client, packet, done) => authorizePublish(parts, client, packet, done),
    authorizeSubscribe: (client, subscription, done) => {
      const session = sessionOf(client)
      done(null, session !== null && maySubscribe(subscription.topic, session) ? subscription : null)
    },
    authorizeForward: (client, packet) => {
      const session = sessionOf(client)
      return session !== null && maySubscribe(packet.topic, session) ? packet : null
    },
  }
}

/** Also called for wills, when they fire: the client is closed by then, and the same rules hold (Decisions 3). */
function authorizePublish(parts: InboundParts, client: Client | null, packet: PublishPacket, done: Done): void {
  const gate = gateOf(client)
  const session = gate?.session ?? null
  const isWill = client === null || client.closed
  const kind = session === null ? null : publishKind(packet.topic, session)
  if (gate === null || session === null || kind === null || (isWill && parts.silenced.has(gate))) {
    parts.meter.count('mqtt_refusals_total', { operation: isWill ? 'will' : 'publish' })
    settle(gate, packet, done, new Error('topic not allowed'))
    return
  }
  const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload)
  let stored: ReturnType<Ingest>
  try {
    stored = parts.ingest({ session, kind, topic: packet.topic, payload })
  } catch (fault) {
    stored = Promise.reject(fault)
  }
  stored.then(
    (result) => {
      switch (result) {
        case 'stored':
          settle(gate, packet, done)
          return
        case 'dead_lettered':
          if (packet.qos > 0 && packet.messageId !== undefined) gate.deadLettered(packet.messageId)
          settle(gate, packet, done)
          return
        case 'refused':
          parts.meter.count('mqtt_refusals_total', { operation: isWill ? 'will' : 'publish' })
          settle(gate, packet, done, new Error('topic not allowed'))
          return
        default:
          result satisfies never
      }
    },
    (fault: unknown) => {
      if (isWill || !gate.destroyed)
        parts.log.error({ err: fault, userId: session.userId }, 'cannot store an MQTT publish')
      // No acknowledgement and no connection, so that the client sends it again (Decisions 3).
      if (isWill) settle(gate, packet, done, new Error('not stored'))
      else gate.expel(Reason.internalError)
    },
  )
}

function settle(gate: Gate | null, packet: PublishPacket, done: Done, refused?: Error): void {
  try {
    done(refused)
  } catch {
    // Aedes stumbled over a connection that ended meanwhile.
    gate?.destroy()
  }
  if (packet.qos === 0) gate?.settled()
}

const gateOf = (client: Client | null): Gate | null => (client?.conn instanceof Gate ? client.conn : null)
const sessionOf = (client: Client | null): Session | null => gateOf(client)?.session ?? null
