import { relationTo, type ToldState } from '../../../../core/incident/told-state.ts'
import { hasState } from '../../../../core/ingest/topic.ts'
import { MAX_OWED_STATES } from '../limits.ts'
import { PacketType } from '../wire/frame.ts'
import type { SubscriptionPlan } from '../wire/subscribe.ts'

/**
 * How a topic is subscribed. `identifier`: the MQTT 5 subscription identifier (3.8.2.1.2), which goes out with every
 * message.
 */
export type Subscribed = { readonly qos: 0 | 1; readonly identifier: number | null }

const FAILURE = 0x80

/**
 * The state that one connection is owed after its SUBSCRIBEs (rules.md#state-on-subscribe), and the events that wait
 * for it. Events are held back from the SUBSCRIBE on, so that none precedes the state and the state is never older than
 * the client's own knowledge. Holding ends once the state is written or there is none. If the state takes too long or
 * too many bytes wait, the events go out and the state does not. Events already in the state do not follow it: they may
 * have waited, or come late from another node.
 */
export class OwedState {
  readonly #maxBytes: number
  readonly #subscribed = new Map<string, Subscribed>()
  /** The number of SUBSCRIBEs that Aedes has not answered. */
  #asked = 0
  /** Topics whose state read has not started; a topic appears once for each granted SUBSCRIBE. */
  #owed: string[] = []
  #reading: readonly string[] | null = null
  /** The state last sent on a topic, until an event that is newer: events come in order. */
  readonly #told = new Map<string, ToldState>()
  #holds = false
  #held: Buffer[] = []
  #heldBytes = 0

  /** `maxBytes`: the limit for held events. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether the state still has to be read for this connection. */
  get isOwed(): boolean {
    return this.#owed.length > 0
  }

  /** Whether events are held back. */
  get holds(): boolean {
    return this.#holds
  }

  /** This plan goes to Aedes. */
  asks({ type }: SubscriptionPlan): void {
    if (type !== PacketType.subscribe) return
    this.#asked++
    this.#holds = true
  }

  /** Aedes has answered: `granted` has one code for each topic of the plan. */
  answered({ type, topics, identifier }: SubscriptionPlan, granted: Uint8Array): void {
    if (type !== PacketType.subscribe) {
      for (const topic of topics) {
        this.#subscribed.delete(topic)
        this.#told.delete(topic)
      }
      return
    }
    this.#asked--
    for (const [at, topic] of topics.entries()) {
      const code = granted[at] ?? FAILURE
      if (code >= FAILURE) continue
      this.#subscribed.set(topic, { qos: code > 0 ? 1 : 0, identifier })
      if (hasState(topic) && this.#owed.length < MAX_OWED_STATES) this.#owed.push(topic)
    }
  }

  /** The read of the state is about to start: it contains everything committed so far, and events from now on wait. */
  begin(): void {
    this.#reading = this.#owed
    this.#owed = []
    this.#holds = true
  }

  /** The state was read. Returns the topics to send it on: none if events have gone out since `begin`. */
  end(): readonly (Subscribed & { readonly topic: string })[] {
    const topics = this.#reading ?? []
    this.#reading = null
    if (!this.#holds) return []
    return topics.flatMap((topic) => {
      const subscribed = this.#subscribed.get(topic)
      return subscribed === undefined ? [] : [{ topic, ...subscribed }]
    })
  }

  /** This state goes out on the topic. */
  told(topic: string, state: ToldState): void {
    this.#told.set(topic, state)
  }

  /** Whether the topic has been told a state, and no newer event since. */
  hasTold(topic: string): boolean {
    return this.#told.has(topic)
  }

  /** Whether this event says nothing that the state sent on its topic did not. */
  isKnown(topic: string, payload: string): boolean {
    const told = this.#told.get(topic)
    const relation = told === undefined ? 'other' : relationTo(told, payload)
    if (relation === 'newer') this.#told.delete(topic)
    return relation === 'known'
  }

  /** The events that wait, oldest first. */
  get held(): readonly Buffer[] {
    return this.#held
  }

  /** Holds an event back. False: too many bytes wait. */
  keep(event: Buffer): boolean {
    this.#heldBytes += event.length
    if (this.#heldBytes > this.#maxBytes) return false
    this.#held.push(event)
    return true
  }

  /** The events that no longer have to wait. `isLate`: releases them even if the state is still due. */
  release(isLate: boolean): readonly Buffer[] {
    const waits = this.#asked > 0 || this.isOwed || this.#reading !== null
    if (!this.#holds || (waits && !isLate)) return []
    this.#holds = false
    this.#heldBytes = 0
    return this.#held.splice(0)
  }
}
