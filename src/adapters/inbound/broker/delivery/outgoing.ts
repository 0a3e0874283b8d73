import type { Duplex } from 'node:stream'
import mqtt from 'mqtt-packet'
import { type ClientSession, isTracker, type Session } from '../../../../core/account/session.ts'
import { opens, type ToldState, toldState } from '../../../../core/incident/told-state.ts'
import type { GateLimits } from '../limits.ts'
import type { Connect } from '../wire/connect.ts'
import { type Bytes, headerBytes, PacketType, parseFrame, remainingLength } from '../wire/frame.ts'
import { answerPlan, type SubscriptionPlan } from '../wire/subscribe.ts'
import { DeliveryWindow } from './delivery-window.ts'
import { Outbound } from './outbound.ts'
import { OwedState } from './owed-state.ts'
import type { States, Subscriber } from './states.ts'

export type OutgoingNeeds = {
  readonly stream: Duplex
  readonly limits: GateLimits
  /** Aedes has registered the client. Returns the CONNACK to send instead of the one from Aedes. */
  readonly opens: () => Buffer
  /** The client has stopped reading. Called once. */
  readonly stuck: () => void
  /** Reads the state for a client that has subscribed. Null: clients get events only. */
  readonly states: Pick<States, 'want' | 'forget'> | null
}

/**
 * The outgoing half of a gate. Inspects every frame from Aedes, keeps deliveries within the client's limits, replaces
 * the CONNACK and the subscription answers with the gate's own, sends a new subscriber the state before any event, and
 * coalesces the writes of a tick.
 */
export class Outgoing implements Subscriber {
  readonly #needs: OutgoingNeeds
  readonly #out: Outbound
  /** The start of a frame that Aedes is still writing. */
  #torn: Buffer | null = null
  /** Null for a tracker, too: it gets no state. */
  #session: Session | null = null
  #connect: Connect | null = null
  #isClosed = false
  #deliveries: DeliveryWindow | null = null
  /** The subscriptions that Aedes has not answered yet, oldest first. Some clients give every packet the same id. */
  readonly #plans: SubscriptionPlan[] = []
  readonly #state: OwedState

  constructor(needs: OutgoingNeeds) {
    this.#needs = needs
    this.#state = new OwedState(needs.limits.backlogBytes)
    this.#out = new Outbound(needs.stream, needs.limits.backlogBytes, needs.stuck)
    this.send = this.#out.send
  }

  /** Aedes may write to this client from now on. */
  admit(session: ClientSession, connect: Connect): void {
    this.#session = isTracker(session) ? null : session
    this.#connect = connect
    this.#deliveries = new DeliveryWindow(connect.receiveMaximum, this.#needs.limits.backlogBytes)
  }

  /** Sends the gate's own bytes. */
  readonly send: (bytes: Bytes) => void

  /** Flushes the writes of this tick immediately; nothing is sent after that. */
  close(): void {
    this.#isClosed = true
    this.#needs.states?.forget(this)
    this.#out.flush()
  }

  get session(): Session | null {
    return this.#session
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Reports the reader stuck if it has read none of the waiting bytes for `maxMs`. */
  check(now: number, maxMs: number): void {
    this.#out.giveUpIfStalled(now, maxMs)
  }

  /** Aedes is about to answer this subscription. */
  expect(plan: SubscriptionPlan): void {
    this.#plans.push(plan)
    if (this.#needs.states !== null) this.#state.asks(plan)
  }

  /** The number of subscriptions that Aedes has not answered. */
  get unanswered(): number {
    return this.#plans.length
  }

  /** Whether a subscription of this client still needs its state read. */
  get isOwedState(): boolean {
    return this.#state.isOwed
  }

  /** The read of the state is about to start: from now on events wait for it. */
  beginState(): void {
    this.#state.begin()
  }

  /**
   * Sends the state (null: there is none) on the subscribed topics, unless a later event has already gone out, or every
   * event of its incident waits: of a press right after the SUBSCRIBE, `processed` comes first.
   */
  tellState(payload: Buffer | null): void {
    if (this.#isClosed) return
    const state = payload === null ? null : toldState(payload.toString())
    for (const { topic, qos, identifier } of this.#state.end()) {
      if (payload === null || (state !== null && this.#holdsOpening(topic, state))) continue
      const { version } = this.#connect!
      const messageId = qos === 0 ? 0 : this.#deliveries!.unusedId()
      const properties = identifier === null ? {} : { properties: { subscriptionIdentifier: identifier } }
      const frame = mqtt.generate(
        { cmd: 'publish', topic, payload, qos, messageId, retain: false, dup: false, ...properties },
        { protocolVersion: version },
      )
      if (state !== null && !this.#isTooLarge(frame.length)) this.#state.told(topic, state)
      this.#deliverOwn(frame)
    }
    this.#release(false)
  }

  /** Lets events go out without waiting for a late state. */
  releaseEvents(): void {
    if (!this.#isClosed) this.#release(true)
  }

  /** The client acknowledged a delivery. */
  acknowledged(id: number): void {
    for (const next of this.#deliveries?.acknowledge(id) ?? []) this.#out.send(next)
  }

  /** Passes on what Aedes has written. */
  pass(written: Buffer): void {
    const bytes = this.#torn === null ? written : Buffer.concat([this.#torn, written])
    this.#torn = null
    let sentUpTo = 0
    let at = 0
    const send = (): void => {
      if (at > sentUpTo) this.#out.send(bytes.subarray(sentUpTo, at))
    }
    while (at < bytes.length) {
      const remaining = remainingLength(bytes, at)
      const body = at + headerBytes(Math.max(0, remaining))
      if (remaining < 0 || body + remaining > bytes.length) {
        send()
        this.#torn = bytes.subarray(at)
        sentUpTo = bytes.length
        break
      }
      const end = body + remaining
      const replaced = this.#watch(bytes, at, body, end)
      if (replaced !== undefined) {
        send()
        sentUpTo = end
        if (replaced !== null) this.#out.send(replaced)
      }
      at = end
    }
    if (this.#torn === null) send()
  }

  /** Inspects a frame from Aedes. Returns the bytes to send instead, null for none, or undefined to let it pass. */
  #watch(bytes: Buffer, at: number, body: number, end: number): Buffer | null | undefined {
    switch (bytes[at]! >> 4) {
      case PacketType.connack:
        return this.#needs.opens()
      case PacketType.publish:
        if (this.#state.holds) {
          if (this.#state.keep(Buffer.from(bytes.subarray(at, end)))) return null
          this.#release(true)
        }
        if (this.#isKnown(bytes, at, body, end)) return null
        return this.#deliver(bytes, at, body, end)
      case PacketType.suback:
      case PacketType.unsuback: {
        const type = bytes[at]! >> 4
        const nth = this.#plans.findIndex((one) => one.id === bytes.readUInt16BE(body) && one.type + 1 === type)
        const [plan] = nth < 0 ? [] : this.#plans.splice(nth, 1)
        if (plan === undefined) return undefined
        const granted = grantedIn(bytes.subarray(at, end), plan.version)
        if (this.#needs.states !== null) this.#answered(plan, granted)
        return answerPlan(plan, granted)
      }
      default:
        return undefined
    }
  }

  #answered(plan: SubscriptionPlan, granted: Uint8Array): void {
    this.#state.answered(plan, granted)
    if (this.#state.isOwed) this.#needs.states?.want(this)
    // After the SUBACK, which is not written yet.
    else process.nextTick(() => this.#release(false))
  }

  /** Sends a frame that Aedes is not writing now: one of the gate's own, or one that had to wait. */
  #deliverOwn(frame: Buffer): void {
    const body = headerBytes(remainingLength(frame, 0))
    if (this.#deliver(frame, 0, body, frame.length) === undefined) this.#out.send(frame)
  }

  #release(isLate: boolean): void {
    for (const event of this.#state.release(isLate)) {
      const body = headerBytes(remainingLength(event, 0))
      if (!this.#isKnown(event, 0, body, event.length)) this.#deliverOwn(event)
    }
  }

  #holdsOpening(topic: string, state: ToldState): boolean {
    return this.#state.held.some((event) => {
      const packet = parseFrame(event, this.#connect!.version)
      return packet?.cmd === 'publish' && packet.topic === topic && opens(state, packet.payload.toString())
    })
  }

  /** Whether this event says nothing that the state sent before it did not. */
  #isKnown(bytes: Buffer, at: number, body: number, end: number): boolean {
    const topicEnd = body + 2 + bytes.readUInt16BE(body)
    if (!this.#state.hasTold(bytes.toString('utf8', body + 2, topicEnd))) return false
    const packet = parseFrame(bytes.subarray(at, end), this.#connect!.version)
    return packet?.cmd === 'publish' && this.#state.isKnown(packet.topic, packet.payload.toString())
  }

  /** MQTT 5, 3.1.2.11.4: a message too large for the client is dropped as if it had been sent. */
  #isTooLarge(frameBytes: number): boolean {
    return frameBytes > this.#connect!.maximumPacketSize
  }

  #deliver(bytes: Buffer, at: number, body: number, end: number): null | undefined {
    if (this.#isTooLarge(end - at)) return null
    if ((bytes[at]! & 0x06) === 0) return undefined
    const id = bytes.readUInt16BE(body + 2 + bytes.readUInt16BE(body))
    const step = this.#deliveries!.offer(id, bytes.subarray(at, end))
    if (step === 'behind') this.#needs.stuck()
    return step === 'send' ? undefined : null
  }
}

function grantedIn(frame: Buffer, version: number): Uint8Array {
  const packet = parseFrame(frame, version)
  if (packet?.cmd !== 'suback' && packet?.cmd !== 'unsuback') return new Uint8Array()
  return Uint8Array.from((packet.granted ?? []) as number[])
}
