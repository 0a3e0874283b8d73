import { Reason } from '../wire/frame.ts'

/**
 * The QoS 2 publishes of one connection, by id, from the PUBLISH to its PUBREL: on their way to the disk, or stored and
 * answered with a PUBREC (MQTT 3.1.1 and 5, 4.3.3). Sessions are clean, so this ends with the connection, and an id
 * used again on the next one is new.
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

  /** What a PUBLISH of this id is: until its PUBREL the same id is the same message. */
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

  /** The PUBREC of this id goes out. One with a failure ends the exchange. */
  received(id: number, reason: number): void {
    if (reason >= 0x80) this.#byId.delete(id)
    else this.#byId.set(id, 'stored')
  }

  /**
   * The PUBREL of this id came: the reason of its PUBCOMP, or null where nothing was received yet that it could
   * release.
   */
  release(id: number): number | null {
    if (this.isPending(id)) return null
    return this.#byId.delete(id) ? Reason.success : Reason.packetIdNotFound
  }
}
