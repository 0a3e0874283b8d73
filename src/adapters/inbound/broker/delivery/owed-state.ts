import { MAX_OWED_STATES } from '../limits.ts'
import { PacketType } from '../wire/frame.ts'
import type { SubscriptionPlan } from '../wire/subscribe.ts'

/** How a topic is subscribed. `identifier`: of MQTT 5 (3.8.2.1.2), which goes along with every message. */
export type Subscribed = { readonly qos: 0 | 1; readonly identifier: number | null }

const FAILURE = 0x80

/**
 * What one connection is owed after its SUBSCRIBEs (rules.md#state-on-subscribe), and the events that wait for it.
 * From the SUBSCRIBE on events are kept back, so that none comes before the state and the state is never older than
 * what the client knows. That ends when the state was written, when there is none, or when it takes too long or too
 * many bytes: then the events go out and the state does not.
 */
export class OwedState {
  readonly #maxBytes: number
  readonly #subscribed = new Map<string, Subscribed>()
  /** SUBSCRIBEs that Aedes has not answered. */
  #asked = 0
  /** Topics whose state was not begun to be read; a topic stands there once for each granted SUBSCRIBE. */
  #owed: string[] = []
  #reading: readonly string[] | null = null
  #holds = false
  #held: Buffer[] = []
  #heldBytes = 0

  /** `maxBytes`: of events that wait. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether there is something to be read for this connection. */
  get isOwed(): boolean {
    return this.#owed.length > 0
  }

  /** Whether events are kept back. */
  get holds(): boolean {
    return this.#holds
  }

  /** This goes to Aedes. */
  asks({ type }: SubscriptionPlan): void {
    if (type !== PacketType.subscribe) return
    this.#asked++
    this.#holds = true
  }

  /** Aedes has answered: `granted` has a code for each topic of the plan. */
  answered({ type, topics, identifier }: SubscriptionPlan, granted: Uint8Array): void {
    if (type !== PacketType.subscribe) {
      for (const topic of topics) this.#subscribed.delete(topic)
      return
    }
    this.#asked--
    for (const [at, topic] of topics.entries()) {
      const code = granted[at] ?? FAILURE
      if (code >= FAILURE) continue
      this.#subscribed.set(topic, { qos: code > 0 ? 1 : 0, identifier })
      if (this.#owed.length < MAX_OWED_STATES) this.#owed.push(topic)
    }
  }

  /** The state is about to be read: what was committed before is in it, and what comes from now on waits. */
  begin(): void {
    this.#reading = this.#owed
    this.#owed = []
    this.#holds = true
  }

  /** The state was read: the topics on which it goes out now. None where events have gone out since `begin`. */
  end(): readonly (Subscribed & { readonly topic: string })[] {
    const topics = this.#reading ?? []
    this.#reading = null
    if (!this.#holds) return []
    return topics.flatMap((topic) => {
      const subscribed = this.#subscribed.get(topic)
      return subscribed === undefined ? [] : [{ topic, ...subscribed }]
    })
  }

  /** Keeps an event back. False: too much waits. */
  keep(event: Buffer): boolean {
    this.#heldBytes += event.length
    if (this.#heldBytes > this.#maxBytes) return false
    this.#held.push(event)
    return true
  }

  /** The events that need not wait any longer. `isLate`: for whatever they wait. */
  release(isLate: boolean): readonly Buffer[] {
    const waits = this.#asked > 0 || this.isOwed || this.#reading !== null
    if (!this.#holds || (waits && !isLate)) return []
    this.#holds = false
    this.#heldBytes = 0
    return this.#held.splice(0)
  }
}
