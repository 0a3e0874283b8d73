/**
 * Keeps what an MQTT 5 client asked for about messages sent to it: no more unacknowledged ones than its Receive Maximum (3.3.4), the
 * rest waits here in order. A client that lets more than `mostWaiting` bytes wait has fallen too far behind.
 */
export class DeliveryWindow {
  readonly #most: number
  readonly #mostWaiting: number
  readonly #unacknowledged = new Set<number>()
  #waiting: { id: number; frame: Buffer }[] = []
  #waitingBytes = 0

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /** What to do with the next QoS 1 message. */
  offer(id: number, frame: Buffer): 'send' | 'wait' | 'behind' {
    if (this.#unacknowledged.size < this.#most) {
      this.#unacknowledged.add(id)
      return 'send'
    }
    this.#waitingBytes += frame.length
    this.#waiting.push({ id, frame })
    return this.#waitingBytes > this.#mostWaiting ? 'behind' : 'wait'
  }

  /** The client acknowledged `id`; answers the message that may go out now. */
  acknowledge(id: number): Buffer | null {
    if (!this.#unacknowledged.delete(id)) return null
    const next = this.#waiting.shift()
    if (next === undefined) return null
    this.#waitingBytes -= next.frame.length
    this.#unacknowledged.add(next.id)
    return next.frame
  }
}
