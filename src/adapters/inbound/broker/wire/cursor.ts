import { Reason } from './frame.ts'
import { type Forms, fieldEnd, NO_PROPERTIES, type Properties, readProperties, textEnd } from './properties.ts'

/**
 * Reads the fields of a complete packet in turn, up to the end of `bytes`. Once a field is malformed, it and all later
 * fields read as empty, and `fault` holds the reason code. Check `fault` before using any field.
 */
export class Cursor {
  readonly #bytes: Buffer
  #at: number
  #fault: number | null = null

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  /** The reason code of the first fault, or null. */
  get fault(): number | null {
    return this.#fault
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Records a fault; only the first one counts. */
  fail(reason: number): void {
    this.#fault ??= reason
  }

  uint8(): number {
    const at = this.#advance(this.#at + 1)
    return at === null ? 0 : this.#bytes[at]!
  }

  uint16(): number {
    const at = this.#advance(this.#at + 2)
    return at === null ? 0 : this.#bytes.readUInt16BE(at)
  }

  /** A UTF-8 string. */
  text(): string {
    const at = this.#advance(textEnd(this.#bytes, this.#at, this.#bytes.length))
    return at === null ? '' : this.#bytes.toString('utf8', at + 2, this.#at)
  }

  /** Binary data, as a view of the packet's bytes. */
  binary(): Buffer {
    const at = this.#advance(fieldEnd(this.#bytes, this.#at, this.#bytes.length))
    return at === null ? EMPTY : this.#bytes.subarray(at + 2, this.#at)
  }

  properties(forms: Forms): Properties {
    if (this.#fault !== null) return NO_PROPERTIES
    const read = readProperties(this.#bytes, { from: this.#at, end: this.#bytes.length, forms })
    if (typeof read === 'number') {
      this.#fault = read
      return NO_PROPERTIES
    }
    this.#at = read.end
    return read
  }

  /** Moves to `end` and returns where the field begins; null if it or an earlier field is malformed. */
  #advance(end: number): number | null {
    if (end < 0 || end > this.#bytes.length) this.#fault ??= Reason.malformed
    if (this.#fault !== null) return null
    const begin = this.#at
    this.#at = end
    return begin
  }
}

const EMPTY = Buffer.alloc(0)
