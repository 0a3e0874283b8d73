import { Reason } from '../wire/frame.ts'

/** Two bits for each packet id. */
const STATES_BYTES = 0x1_0000 / 4
/** Shared by connections without a half-open publish, all zero: a new one for each publish would take 5 µs. */
const spares: Uint8Array[] = []
const MAX_SPARES = 64
const NONE = 0
const PENDING = 1
const STORED = 2
type State = typeof NONE | typeof PENDING | typeof STORED

/**
 * The QoS 2 publishes of one connection, by id, from the PUBLISH to its PUBREL: either being stored, or stored and
 * answered with a PUBREC (MQTT 3.1.1 and 5, 4.3.3). Sessions are clean, so these end with the connection, and the next
 * connection may reuse any id for a new message.
 *
 * However many are half-open, they take 16 KiB: a user may have a thousand connections, and all of them together must
 * not fill the memory either. None of them is refused for another connection's sake.
 */
export class ExactlyOnce {
  readonly #max: number
  /** Null while none is half-open. */
  #states: Uint8Array | null = null
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  has(id: number): boolean {
    return this.#get(id) !== NONE
  }

  /** Classifies a PUBLISH with this id: until its PUBREL, the same id means the same message. */
  begin(id: number): 'new' | 'pending' | 'stored' | 'too_many' {
    const known = this.#get(id)
    if (known !== NONE) return known === PENDING ? 'pending' : 'stored'
    if (this.#count >= this.#max) return 'too_many'
    this.#set(id, PENDING)
    return 'new'
  }

  isPending(id: number): boolean {
    return this.#get(id) === PENDING
  }

  /** The PUBREC of this id goes out. A failure code ends the exchange. */
  received(id: number, reason: number): void {
    this.#set(id, reason >= 0x80 ? NONE : STORED)
  }

  /**
   * The PUBREL of this id has come. Returns the reason code of its PUBCOMP, or null if the publish is still being
   * stored, so that there is nothing to release yet.
   */
  release(id: number): number | null {
    const known = this.#get(id)
    if (known === PENDING) return null
    this.#set(id, NONE)
    return known === STORED ? Reason.success : Reason.packetIdNotFound
  }

  #get(id: number): State {
    return this.#states === null ? NONE : (((this.#states[id >> 2]! >> shiftOf(id)) & 3) as State)
  }

  #set(id: number, state: State): void {
    const before = this.#get(id)
    if (before === state) return
    const states = this.#states ?? spares.pop() ?? new Uint8Array(STATES_BYTES)
    states[id >> 2] = (states[id >> 2]! & ~(3 << shiftOf(id))) | (state << shiftOf(id))
    this.#count += Number(before === NONE) - Number(state === NONE)
    this.#states = this.#count === 0 ? null : states
    if (this.#count === 0 && spares.length < MAX_SPARES) spares.push(states)
  }
}

const shiftOf = (id: number): number => (id & 3) * 2
