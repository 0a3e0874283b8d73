import type { Duplex } from 'node:stream'
import type { Connect } from './connect.ts'
import { DeliveryWindow } from './delivery-window.ts'
import { headerBytes, PacketType, parseFrame, remainingLength } from './frame.ts'
import type { GateLimits } from './limits.ts'
import { Outbound } from './outbound.ts'
import { answerPlan, type SubscriptionPlan } from './subscription.ts'

export type OutgoingParts = {
  readonly stream: Duplex
  readonly limits: GateLimits
  /** Aedes has the client in its books. Answers the CONNACK that the client gets instead of the one from Aedes. */
  readonly opens: () => Buffer
  /** A reader that does not read. Called once. */
  readonly stuck: () => void
}

/**
 * The outgoing half of a gate: looks at every frame of Aedes, keeps deliveries within what the client takes, puts the gate's own answers
 * in their places, and gathers the writes of a tick into one.
 */
export class Outgoing {
  readonly #parts: OutgoingParts
  readonly #out: Outbound
  /** A part of a frame that Aedes is still writing. */
  #torn: Buffer | null = null
  #connect: Connect | null = null
  #deliveries: DeliveryWindow | null = null
  readonly #plans = new Map<number, SubscriptionPlan>()

  constructor(parts: OutgoingParts) {
    this.#parts = parts
    this.#out = new Outbound(parts.stream, parts.limits.backlogBytes, parts.stuck)
  }

  /** From now on Aedes may write to this client. */
  admit(connect: Connect): void {
    this.#connect = connect
    this.#deliveries = new DeliveryWindow(connect.receiveMaximum, this.#parts.limits.backlogBytes)
  }

  /** Sends bytes of the gate's own. */
  readonly send = (bytes: Buffer): void => this.#out.send(bytes)

  /** Writes what the tick has gathered at once: the last words. */
  flush(): void {
    this.#out.flush()
  }

  /** Reports the reader stuck if it took nothing of what waits for it since `mostMs` ago. */
  check(now: number, mostMs: number): void {
    this.#out.giveUpIfStalled(now, mostMs)
  }

  /** Aedes is about to answer this. */
  expect(plan: SubscriptionPlan): void {
    this.#plans.set(plan.id, plan)
  }

  /** The client acknowledged a delivery. */
  acknowledged(id: number): void {
    const next = this.#deliveries?.acknowledge(id)
    if (next) this.#out.send(next)
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

  /** A frame of Aedes: the bytes that go out in its place, null for nothing, undefined to let it pass. */
  #watch(bytes: Buffer, at: number, body: number, end: number): Buffer | null | undefined {
    switch (bytes[at]! >> 4) {
      case PacketType.connack:
        return this.#parts.opens()
      case PacketType.publish:
        return this.#deliver(bytes, at, body, end)
      case PacketType.suback:
      case PacketType.unsuback: {
        const id = bytes.readUInt16BE(body)
        const plan = this.#plans.get(id)
        this.#plans.delete(id)
        return plan && answerPlan(plan, grantedIn(bytes.subarray(at, end), plan.version))
      }
      default:
        return undefined
    }
  }

  #deliver(bytes: Buffer, at: number, body: number, end: number): null | undefined {
    // MQTT 5, 3.1.2.11.4: what is too large for the client is dropped as if it had been sent.
    if (end - at > this.#connect!.maximumPacketSize) return null
    if ((bytes[at]! & 0x06) === 0) return undefined
    const id = bytes.readUInt16BE(body + 2 + bytes.readUInt16BE(body))
    const step = this.#deliveries!.offer(id, bytes.subarray(at, end))
    if (step === 'behind') this.#parts.stuck()
    return step === 'send' ? undefined : null
  }
}

function grantedIn(frame: Buffer, version: number): Uint8Array {
  const packet = parseFrame(frame, version)
  if (packet?.cmd !== 'suback' && packet?.cmd !== 'unsuback') return new Uint8Array()
  return Uint8Array.from((packet.granted ?? []) as number[])
}
