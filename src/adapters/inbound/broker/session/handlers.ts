import { isTracker } from '../../../../core/account/session.ts'
import { isOwnTracksCommands } from '../../../../core/field/owntracks-topic.ts'
import { maySubscribe } from '../../../../core/ingest/topic.ts'
import { SUBSCRIPTION_MS } from '../limits.ts'
import { asksForWill, relayedDisconnect } from '../wire/disconnect.ts'
import { acknowledgement, PacketType, PINGRESP, Reason } from '../wire/frame.ts'
import { answerPlan, PRETENDED, planSubscription } from '../wire/subscribe.ts'
import type { ClientConnection, ClientServices } from './client-connection.ts'
import type { Publishes } from './publishes.ts'

/** An admitted client, as its packet handlers see it. */
type Client = {
  readonly connection: ClientConnection
  readonly services: ClientServices
  readonly publishes: Publishes
}

/** Handles a frame; `body` is the offset of its variable header. */
type Take = (client: Client, frame: Buffer, body: number) => void

type Handler = {
  /** The flags that the fixed header must have (MQTT 3.1.1 and 5, 2.2.2). */
  readonly flags: number
  /** Waits until the acknowledgements of everything before it have gone out. */
  readonly comesLast?: true
  readonly take: Take
}

/** Every packet but PUBLISH that an admitted client may send. */
const handlers: Readonly<Partial<Record<number, Handler>>> = {
  [PacketType.puback]: { flags: 0, take: withId(({ connection }, id) => connection.outgoing.acknowledged(id)) },
  [PacketType.pubrec]: { flags: 0, take: withId(refuseReceipt) },
  [PacketType.pubrel]: { flags: 2, take: withId(({ publishes }, id) => publishes.release(id)) },
  [PacketType.pubcomp]: { flags: 0, take: withId(() => {}) },
  [PacketType.subscribe]: { flags: 2, take: takeSubscription },
  [PacketType.unsubscribe]: { flags: 2, take: takeSubscription },
  [PacketType.pingreq]: { flags: 0, take: takePing },
  [PacketType.disconnect]: { flags: 0, comesLast: true, take: takeDisconnect },
}
/** A packet that only a server sends, or a second CONNECT. */
const unexpected: Handler = { flags: 0, take: ({ connection }) => connection.violation(Reason.protocolError) }

/** The handler for a packet type. */
export const handlerOf = (type: number): Handler => handlers[type] ?? unexpected

/** For a packet that begins with a packet id. */
function withId(take: (client: Client, id: number) => void): Take {
  return (client, frame, body) => {
    if (frame.length < body + 2) client.connection.violation(Reason.malformed)
    else take(client, frame.readUInt16BE(body))
  }
}

/** Nothing is sent at QoS 2, so no PUBREC is expected. */
function refuseReceipt({ connection }: Client, id: number): void {
  connection.outgoing.send(acknowledgement(PacketType.pubrel, id, connection.connect.version, Reason.packetIdNotFound))
}

function takePing({ connection }: Client, frame: Buffer, body: number): void {
  if (frame.length > body) connection.violation(Reason.malformed)
  else connection.outgoing.send(PINGRESP)
}

/** Aedes gets the gate's own DISCONNECT instead of the client's. */
function takeDisconnect({ connection }: Client, frame: Buffer, body: number): void {
  const firesWill = asksForWill(connection.connect.version, frame[body])
  connection.leaves(firesWill)
  connection.relay(relayedDisconnect(connection.connect.version, firesWill))
}

/** A SUBSCRIBE or an UNSUBSCRIBE. Topic access is checked here: Aedes sees only topics that the client may use. */
function takeSubscription({ connection, services }: Client, frame: Buffer): void {
  const { session, connect, intake, outgoing } = connection
  const plan = planSubscription(
    frame,
    connect.version,
    isTracker(session)
      ? { admitted: () => false, pretended: isOwnTracksCommands }
      : { admitted: (topic) => maySubscribe(topic, session), pretended: () => false },
  )
  if (plan === null) {
    connection.violation(Reason.malformed)
    return
  }
  intake.charge({ messages: plan.codes.length, ms: plan.forward === null ? 0 : SUBSCRIPTION_MS })
  if (plan.codes.some((code) => typeof code === 'number' && code !== PRETENDED)) {
    services.refused(plan.type === PacketType.subscribe ? 'subscribe' : 'unsubscribe')
  }
  if (plan.forward === null) {
    outgoing.send(answerPlan(plan, new Uint8Array()))
    return
  }
  outgoing.expect(plan)
  connection.relay(plan.forward)
}
