import type { Aedes, Client, PublishPacket } from 'aedes'
import type { Session } from '../../../../core/account/session.ts'
import { maySubscribe, type PublishKind, publishKind } from '../../../../core/ingest/topic.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Meter } from '../../../../ports/meter.ts'
import { AlertQueues } from '../delivery/alert-queues.ts'
import { Gate, type GateParts } from './gate.ts'
import type { Taken } from './publishes.ts'

/**
 * Takes in one publish. Resolves after its commit: `stored`, `dead_lettered` (kept, but of no use), or `refused` (not the sender's own
 * after all, as a legacy alert in another's name). Rejects where it could not be committed. May be called concurrently.
 */
export type Ingest = (publish: {
  session: Session
  kind: PublishKind
  topic: string
  payload: Buffer
}) => Promise<Taken>

type InboundParts = { readonly ingest: Ingest; readonly log: Log; readonly meter: Meter }

/** What the gate does with a publish: the access rules (Decisions 3), then the ingest. Rejects where it could not be committed. */
export const takePublishes = ({ ingest, log, meter }: InboundParts): GateParts['take'] => {
  const queues = new AlertQueues(MAX_ALERTS_PER_USER)
  return async (session, { topic, payload }) => {
    const kind = publishKind(topic, session)
    try {
      const taken =
        kind === null
          ? 'refused'
          : kind === 'telemetry'
            ? await ingest({ session, kind, topic, payload })
            : await queues.run(session.userId, () => ingest({ session, kind, topic, payload }))
      if (taken === 'refused') meter.count('mqtt_refusals_total', { operation: 'publish' })
      return taken
    } catch (fault) {
      log.error({ err: fault, userId: session.userId }, 'cannot store an MQTT publish')
      throw fault
    }
  }
}

/** Alerts are committed in the order in which they came: nobody else's waits for more than these of one user. */
export const MAX_ALERTS_PER_USER = 64

type HookParts = InboundParts & {
  /** Connections whose wills do not fire: closed by the operator or by the end of the service. */
  readonly silenced: WeakSet<Gate>
}

type Hooks = Pick<Aedes, 'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
type Done = (error?: Error | null) => void

/**
 * The hooks of Aedes, which gets to know clients, subscriptions and wills; publishes are taken in at the gate. No hook throws or rejects.
 */
export function createHooks(parts: HookParts): Hooks {
  return {
    preConnect: (client, _packet, done) => done(gateOf(client) ? null : new Error('not through the gate'), true),
    authenticate: (client, _username, _password, done) => done(null, sessionOf(client) !== null),
    authorizePublish: (client, packet, done) => void takeWill(parts, client, packet, done),
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

/** A will that fires is a publish, for which the same rules hold (Decisions 3). By then its client is closed. */
async function takeWill(parts: HookParts, client: Client | null, packet: PublishPacket, done: Done): Promise<void> {
  const { ingest, log, meter, silenced } = parts
  const gate = gateOf(client)
  const session = gate?.session ?? null
  const isWill = client === null || client.closed
  const kind = session === null || !isWill ? null : publishKind(packet.topic, session)
  let taken: Taken = 'refused'
  try {
    if (gate !== null && session !== null && kind !== null && !silenced.has(gate)) {
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload)
      taken = await ingest({ session, kind, topic: packet.topic, payload })
    }
    if (taken === 'refused') meter.count('mqtt_refusals_total', { operation: 'will' })
  } catch (fault) {
    log.error({ err: fault, userId: session?.userId }, 'cannot store an MQTT will')
  }
  try {
    done(taken === 'refused' ? new Error('topic not allowed') : null)
  } catch {
    // Aedes stumbled over a connection that ended meanwhile.
    gate?.destroy()
  }
}

const gateOf = (client: Client | null): Gate | null => (client?.conn instanceof Gate ? client.conn : null)
const sessionOf = (client: Client | null): Session | null => gateOf(client)?.session ?? null
