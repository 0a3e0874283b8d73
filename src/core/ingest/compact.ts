import { type EventTime, isoAt } from './event-time.ts'

/**
 * The compact form of telemetry payloads in the store: a payload of all fields takes some 35 bytes, a position 15. It
 * holds every accepted payload exactly. What is written here is read for as long as rows are kept, so the codes below
 * stay as they are, and new ones are added at the end.
 */

/** The values in columns of their own, which the compact payload leaves out. */
export type RowPlace = {
  /** The event time, if the payload gives it; null if the row counts as of its arrival. Read back without its text. */
  readonly time: (Omit<EventTime, 'text'> & { readonly text?: string }) | null
  readonly deviceId: string | null
}

/** One form of value: how it is written, and read back. */
export type Compact<T = unknown> = {
  // A method, so that the forms of all fields fit one table.
  write(to: CompactWriter, value: T, row: RowPlace): void
  read(from: CompactReader, row: RowPlace): T
}

const encoder = new TextEncoder()
// Without this option a byte order mark at the beginning of a text would be lost.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** More than the longest payload takes: eight texts of 64 characters. */
const MAX_BYTES = 2048

export class CompactWriter {
  readonly #bytes = new Uint8Array(MAX_BYTES)
  #end = 0

  byte(value: number): void {
    this.#bytes[this.#end++] = value
  }

  /** A whole number of so many bytes, the lowest first. */
  whole(value: number, count: number): void {
    let rest = value
    for (let n = 0; n < count; n += 1) {
      this.#bytes[this.#end++] = rest % 256
      rest = Math.floor(rest / 256)
    }
  }

  double(value: number): void {
    new DataView(this.#bytes.buffer).setFloat64(this.#end, value)
    this.#end += 8
  }

  /** A text behind a byte: `head` and the number of its bytes. */
  textBehind(head: number, value: string): void {
    const at = this.#end++
    const { written } = encoder.encodeInto(value, this.#bytes.subarray(this.#end))
    this.#bytes[at] = head + written
    this.#end += written
  }

  begin(): void {
    this.#end = 0
  }

  /** Leaves room for `count` bytes, which `fill` writes. Returns their place. */
  leave(count: number): number {
    const at = this.#end
    this.#end += count
    return at
  }

  fill(at: number, value: number, count: number): void {
    const end = this.#end
    this.#end = at
    this.whole(value, count)
    this.#end = end
  }

  /** A copy of the bytes that were written since `begin`. */
  copy(): Uint8Array {
    const copied = Buffer.allocUnsafe(this.#end)
    for (let at = 0; at < this.#end; at += 1) copied[at] = this.#bytes[at]!
    return copied
  }
}

export class CompactReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    if (this.#at >= this.#bytes.length) throw new Error('a compact payload is cut off')
    return this.#bytes[this.#at++]!
  }

  whole(count: number): number {
    let value = 0
    let unit = 1
    for (let n = 0; n < count; n += 1) {
      value += this.byte() * unit
      unit *= 256
    }
    return value
  }

  double(): number {
    const { buffer, byteOffset } = this.#part(8)
    return new DataView(buffer, byteOffset).getFloat64(0)
  }

  text(count: number): string {
    return decoder.decode(this.#part(count))
  }

  /** Throws an error if bytes are left: then something was misread. */
  end(): void {
    if (this.#at < this.#bytes.length) throw new Error('a compact payload goes on behind its end')
  }

  #part(count: number): Uint8Array {
    const from = this.#at
    this.#at += count
    if (this.#at > this.#bytes.length) throw new Error('a compact payload is cut off')
    return this.#bytes.subarray(from, this.#at)
  }
}

/** Digits and a power of ten: their quotient rounds to the value that the literal has. */
const powersOfTen = Float64Array.from({ length: 15 }, (_, exponent) => 10 ** exponent)
/** Up to here whole numbers are exact, and take seven bytes. */
const MAX_DIGITS = 2 ** 53
const NEGATIVE = 0x80
const FRACTION_SHIFT = 3
const FRACTION = 0x0f
const SIZE = 0x07
/** Instead of the digits after the point: the eight bytes of the number follow. */
const DOUBLE = 0x0f

/**
 * Any number: a byte with the sign, the digits after the point and the count of bytes that follow, then its digits as a
 * whole number. Numbers of more digits are stored as they are in memory.
 */
export const compactNumber: Compact<number> = {
  write(to, value) {
    const size = Math.abs(value)
    const sign = value < 0 || Object.is(value, -0) ? NEGATIVE : 0
    for (let fraction = 0; fraction < powersOfTen.length; fraction += 1) {
      const power = powersOfTen[fraction]!
      const digits = Math.round(size * power)
      if (!(digits < MAX_DIGITS)) break
      if (digits / power !== size) continue
      const count = bytesOf(digits)
      to.byte(sign | (fraction << FRACTION_SHIFT) | count)
      to.whole(digits, count)
      return
    }
    to.byte(DOUBLE << FRACTION_SHIFT)
    to.double(value)
  },
  read(from) {
    const head = from.byte()
    const fraction = (head >> FRACTION_SHIFT) & FRACTION
    if (fraction === DOUBLE) return from.double()
    const size = from.whole(head & SIZE) / powersOfTen[fraction]!
    return head & NEGATIVE ? -size : size
  },
}

function bytesOf(whole: number): number {
  let count = 0
  for (let rest = whole; rest >= 1; rest /= 256) count += 1
  return count
}

/** A whole number from `min` to at most `min` + 255. */
export const compactByte = (min: number): Compact<number> => ({
  write: (to, value) => to.byte(value - min),
  read: (from) => from.byte() + min,
})

export const compactBoolean: Compact<boolean> = {
  write: (to, value) => to.byte(Number(value)),
  read: (from) => from.byte() === 1,
}

/** Texts have at most 64 characters, thus 192 bytes. */
const FIRST_WORD = 200

/** Text of at most 64 characters behind its length in bytes; a byte for each of these words. */
export const compactText = (...words: readonly string[]): Compact<string> => ({
  write(to, value) {
    const word = words.indexOf(value)
    if (word >= 0) to.byte(FIRST_WORD + word)
    else to.textBehind(0, value)
  },
  read(from) {
    const head = from.byte()
    return head < FIRST_WORD ? from.text(head) : known(words[head - FIRST_WORD])
  },
})

/** One of two forms, behind a byte that says which. */
export const compactEither = <A, B>(
  a: Compact<A>,
  b: Compact<B>,
  isFirst: (value: unknown) => boolean,
): Compact<A | B> => ({
  write(to, value, row) {
    const first = isFirst(value)
    to.byte(first ? 0 : 1)
    if (first) a.write(to, value as A, row)
    else b.write(to, value as B, row)
  },
  read: (from, row) => (from.byte() === 0 ? a : b).read(from, row),
})

/** Up to nine digits of a second; a longer head is the length of a text. */
const TEXT_BEHIND = 10
const SECONDS_END = 19

/** An RFC 3339 date-time: a byte if it is the row's own in its usual form, else its text. */
export const compactInstant: Compact<string> = {
  write(to, value, { time }) {
    const digits = value === time?.text ? usualDigits(value) : null
    if (digits === null) to.textBehind(TEXT_BEHIND, value)
    else to.byte(digits)
  },
  read(from, { time }) {
    const head = from.byte()
    return head < TEXT_BEHIND ? usualText(known(time), head) : from.text(head - TEXT_BEHIND)
  },
}

/**
 * The digits of a second in a time of the usual form, which `usualText` writes again from the time itself; null for
 * another form. A leap second is the first one of the next minute then.
 */
function usualDigits(text: string): number | null {
  const digits = text.length === SECONDS_END + 1 ? 0 : text.length - SECONDS_END - 2
  if (digits > 9 || text[10] !== 'T' || text[text.length - 1] !== 'Z' || text[SECONDS_END - 2] === '6') return null
  return digits
}

function usualText({ ms, nanos }: Omit<EventTime, 'text'>, digits: number): string {
  const text = isoAt(ms)
  if (digits === 3) return text
  const seconds = text.slice(0, SECONDS_END)
  const fraction = text.slice(SECONDS_END + 1, -1) + String(nanos).padStart(6, '0')
  return digits === 0 ? `${seconds}Z` : `${seconds}.${fraction.slice(0, digits)}Z`
}

/** The device id, which the row has anyway. */
export const compactDeviceId: Compact<string> = {
  write: () => {},
  read: (_from, { deviceId }) => known(deviceId),
}

/**
 * An object whose parts are all optional: a bit for each that is there, then these parts in the order of the table. At
 * most 32 parts.
 */
export function compactObject(parts: Readonly<Record<string, Compact>>): Compact<Readonly<Record<string, unknown>>> {
  const entries = Object.entries(parts)
  const flagBytes = Math.ceil(entries.length / 8)
  return {
    write(to, value, row) {
      const head = to.leave(flagBytes)
      let flags = 0
      for (let n = 0; n < entries.length; n += 1) {
        const [name, part] = entries[n]!
        const held = value[name]
        if (held === undefined) continue
        flags |= 1 << n
        part.write(to, held, row)
      }
      to.fill(head, flags >>> 0, flagBytes)
    },
    read(from, row) {
      const flags = from.whole(flagBytes)
      const value: Record<string, unknown> = {}
      for (let n = 0; n < entries.length; n += 1) {
        if (flags & (1 << n)) value[entries[n]![0]] = entries[n]![1].read(from, row)
      }
      return value
    },
  }
}

function known<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a compact payload does not fit its row')
  return value
}
