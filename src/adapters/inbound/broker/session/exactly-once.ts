import { Reason } from '../wire/frame.ts'

/**
 * The QoS 2 publishes of one connection, by id, from the PUBLISH to its PUBREL: either being stored, or stored and
 * answered with a PUBREC (MQTT 3.1.1 and 5, 4.3.3). Sessions are clean, so these end with the connection, and the next
 * connection may reuse any id for a new message.
 */
export class ExactlyOnce {
  readonly #max: number
  readonly #byId = new Map<number, 'pending' | 'stored'>()

  constructor(max: number) {
    this.#max = max
  }

  has(id: number): boolean {
    return this.#byId.size > 0 && this.#byId.has(id)
  }

  /** Classifies a PUBLISH with this id: until its PUBREL, the same id means the same message. */
  begin(id: number): 'new' | 'pending' | 'stored' | 'too_many' {
    const known = this.#byId.get(id)
    if (known !== undefined) return known
    if (this.#byId.size >= this.#max) return 'too_many'
    this.#byId.set(id, 'pending')
    return 'new'
  }

  isPending(id: number): boolean {
    return this.#byId.size > 0 && this.#byId.get(id) === 'pending'
  }

  /** The PUBREC of this id goes out. A failure code ends the exchange. */
  received(id: number, reason: number): void {
    if (reason >= 0x80) this.#byId.delete(id)
    else this.#byId.set(id, 'stored')
  }

  /**
   * The PUBREL of this id has come. Returns the reason code of its PUBCOMP, or null if the publish is still being
   * stored, so that there is nothing to release yet.
   */
  release(id: number): number | null {
    if (this.isPending(id)) return null
    return this.#byId.delete(id) ? Reason.success : Reason.packetIdNotFound
  }
}
