const MAX_PACKET_ID = 65_535
const HALF_OF_THE_IDS = 32_768

/**
 * Keeps the deliveries to an MQTT 5 client within its Receive Maximum (3.3.4): that many may be unacknowledged, and the
 * rest wait here in order. A client with more than `maxWaiting` bytes waiting has fallen too far behind.
 */
export class DeliveryWindow {
  readonly #max: number
  readonly #maxWaiting: number
  readonly #unacknowledged = new Set<number>()
  #waiting: { id: number; frame: Buffer }[] = []
  #waitingBytes = 0
  #lastId = 0

  constructor(max: number, maxWaiting: number) {
    this.#max = max
    this.#maxWaiting = maxWaiting
  }

  /** Decides what to do with the next QoS 1 message. */
  offer(id: number, frame: Buffer): 'send' | 'wait' | 'behind' {
    this.#lastId = id
    if (this.#waiting.length === 0 && this.#hasPlaceFor(id)) {
      this.#unacknowledged.add(id)
      return 'send'
    }
    this.#waitingBytes += frame.length
    this.#waiting.push({ id, frame })
    return this.#waitingBytes > this.#maxWaiting ? 'behind' : 'wait'
  }

  /** The client acknowledged `id`. Returns the messages that may now go out, in order. */
  acknowledge(id: number): readonly Buffer[] {
    const released: Buffer[] = []
    if (!this.#unacknowledged.delete(id)) return released
    for (let next = this.#waiting[0]; next !== undefined && this.#hasPlaceFor(next.id); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#waitingBytes -= next.frame.length
      this.#unacknowledged.add(next.id)
      released.push(next.frame)
    }
    return released
  }

  /**
   * An unused packet id for a message of the gate's own, as far as possible from the ids that Aedes is counting
   * through.
   */
  unusedId(): number {
    const isUsed = (id: number) => this.#unacknowledged.has(id) || this.#waiting.some((one) => one.id === id)
    let id = ((this.#lastId + HALF_OF_THE_IDS) % MAX_PACKET_ID) + 1
    for (let tries = 0; tries < MAX_PACKET_ID && isUsed(id); tries++) id = (id % MAX_PACKET_ID) + 1
    return id
  }

  /** Aedes may reach an id that the gate has used; its message then waits until the other one is acknowledged. */
  #hasPlaceFor(id: number): boolean {
    return this.#unacknowledged.size < this.#max && !this.#unacknowledged.has(id)
  }
}
