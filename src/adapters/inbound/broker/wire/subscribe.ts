import mqtt, { type ISubscribePacket, type IUnsubscribePacket } from 'mqtt-packet'
import { PacketType, parseFrame, Reason } from './frame.ts'

/**
 * The plan for a SUBSCRIBE or UNSUBSCRIBE. `forward` is the part that goes to Aedes (null: nothing). `codes` has the
 * answer for each of the client's topics in order; `{ from }` refers to the answer of Aedes.
 */
export type SubscriptionPlan = {
  readonly type: typeof PacketType.subscribe | typeof PacketType.unsubscribe
  readonly id: number
  readonly version: number
  readonly forward: Buffer | null
  readonly codes: readonly (number | { from: number })[]
  /** The topics of `forward`, in order. */
  readonly topics: readonly string[]
  /** The subscription identifier (MQTT 5, 3.8.2.1.2), or null. */
  readonly identifier: number | null
}

const SUBACK_FAILURE = 0x80
/** The code of a topic that is granted and goes no further: QoS 0, or unsubscribed. */
export const PRETENDED = 0

/**
 * The topics that are really subscribed (`admitted`), and those that are granted although nothing is ever sent on them
 * (`pretended`). All other topics are refused.
 */
export type TopicAccess = {
  readonly admitted: (topic: string) => boolean
  readonly pretended: (topic: string) => boolean
}
const SUBSCRIPTION_ID_MAX = 268_435_455

/**
 * Reads a SUBSCRIBE or UNSUBSCRIBE frame and forwards only permitted topics to Aedes, each once: wildcards, shared
 * subscriptions, names from `Object.prototype` and topics of 150 levels never reach it. Null if the frame is malformed.
 */
export function planSubscription(frame: Buffer, version: number, access: TopicAccess): SubscriptionPlan | null {
  const packet = parseFrame(frame, version)
  if (packet === null || !packet.messageId) return null
  if (packet.cmd === 'subscribe') return planSubscribe(packet, frame, version, access)
  if (packet.cmd === 'unsubscribe') return planUnsubscribe(packet, frame, version, access)
  return null
}

function planSubscribe(packet: ISubscribePacket, frame: Buffer, version: number, access: TopicAccess) {
  const { admitted } = access
  const identifier: unknown = packet.properties?.subscriptionIdentifier
  if (
    identifier !== undefined &&
    !(typeof identifier === 'number' && identifier > 0 && identifier <= SUBSCRIPTION_ID_MAX)
  )
    return null
  const asked = packet.subscriptions.map(({ topic }) => topic)
  if (asked.length === 0) return null
  // If a topic is named twice, the last one counts, as if each were subscribed in turn (MQTT 3.1.1, 3.8.4).
  const passed = [
    ...new Map(packet.subscriptions.filter(({ topic }) => admitted(topic)).map((one) => [one.topic, one])).values(),
  ]
  const topics = passed.map(({ topic }) => topic)
  const properties = typeof identifier === 'number' ? { properties: { subscriptionIdentifier: identifier } } : {}
  return {
    type: PacketType.subscribe,
    id: packet.messageId!,
    version,
    topics,
    identifier: identifier ?? null,
    codes: codesOf(asked, topics, access, version === 5 ? Reason.notAuthorized : SUBACK_FAILURE),
    forward: forwardOf(frame, asked, topics, () =>
      mqtt.generate(
        { cmd: 'subscribe', messageId: packet.messageId!, subscriptions: passed, ...properties },
        { protocolVersion: version },
      ),
    ),
  }
}

function planUnsubscribe(packet: IUnsubscribePacket, frame: Buffer, version: number, access: TopicAccess) {
  const { admitted } = access
  const asked = packet.unsubscriptions
  if (asked.length === 0) return null
  const topics = [...new Set(asked.filter(admitted))]
  return {
    type: PacketType.unsubscribe,
    id: packet.messageId!,
    version,
    topics,
    identifier: null,
    codes: codesOf(asked, topics, access, Reason.noSubscriptionExisted),
    forward: forwardOf(frame, asked, topics, () =>
      mqtt.generate(
        { cmd: 'unsubscribe', messageId: packet.messageId!, unsubscriptions: topics },
        { protocolVersion: version },
      ),
    ),
  }
}

/** The frame as it came if all of it may pass, nothing if none of it may, else a shorter one. */
function forwardOf(
  frame: Buffer,
  asked: readonly string[],
  passed: readonly string[],
  shortened: () => Buffer,
): Buffer | null {
  if (passed.length === 0) return null
  return passed.length === asked.length ? frame : shortened()
}

const codesOf = (
  asked: readonly string[],
  passed: readonly string[],
  { pretended }: TopicAccess,
  refused: number,
): readonly (number | { from: number })[] =>
  asked.map((topic) => {
    if (passed.includes(topic)) return { from: passed.indexOf(topic) }
    return pretended(topic) ? PRETENDED : refused
  })

/** The SUBACK or UNSUBACK for the client. `granted`: the codes from Aedes, in the order of `forward`. */
export function answerPlan(plan: SubscriptionPlan, granted: Uint8Array): Buffer {
  const codes = plan.codes.map((code) => (typeof code === 'number' ? code : (granted[code.from] ?? SUBACK_FAILURE)))
  if (plan.type === PacketType.subscribe) {
    return mqtt.generate({ cmd: 'suback', messageId: plan.id, granted: codes }, { protocolVersion: plan.version })
  }
  return mqtt.generate({ cmd: 'unsuback', messageId: plan.id, granted: codes }, { protocolVersion: plan.version })
}
