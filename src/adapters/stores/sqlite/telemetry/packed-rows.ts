import type { TelemetryStored } from '../../../../ports/store.ts'
import { DUPLICATE, type FlatRow, STORED } from '../../shared/telemetry-row.ts'
import type { StoreFailure } from '../engine/failure.ts'

/**
 * Rows on their way to the writer thread, column by column in shared memory: cloning thousands of small arrays a second
 * would cost both threads more than storing them.
 */
export type PackedRows = {
  readonly count: number
  readonly memory: SharedArrayBuffer
}

const NUMBERS = ['ms', 'nanos', 'receivedAt', 'latitude', 'longitude', 'altitude'].length
const TEXTS = ['appId', 'reporterId', 'deviceId', 'at', 'payload'].length
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const MAX_UNIT_BYTES = 3
const ABSENT = -1
const INITIAL_BYTES = 256 * 1024

/** The bytes in front of the texts of `count` rows. */
const headerBytes = (count: number): number => count * (NUMBERS * 8 + TEXTS * 4)

/** Where the parts of `count` packed rows lie in the memory. */
const layout = (memory: SharedArrayBuffer, count: number) => ({
  numbers: new Float64Array(memory, 0, count * NUMBERS),
  lengths: new Int32Array(memory, count * NUMBERS * 8, count * TEXTS),
  text: Buffer.from(memory, headerBytes(count)),
})

/** Packs rows into memory that it uses again: a pack is valid until the next one is made. */
export class RowPacker {
  #memory = new SharedArrayBuffer(INITIAL_BYTES)

  pack(rows: readonly FlatRow[]): PackedRows {
    const count = rows.length
    this.#reserve(headerBytes(count) + rows.reduce((bytes, row) => bytes + maxTextBytes(row), 0))
    const { numbers, lengths, text } = layout(this.#memory, count)
    let at = 0
    const write = (index: number, value: string | null): void => {
      const length = value === null ? ABSENT : text.write(value, at)
      lengths[index] = length
      if (length > 0) at += length
    }
    for (const [index, row] of rows.entries()) {
      const [appId, reporterId, deviceId, ms, nanos, time, receivedAt, payload, latitude, longitude, altitude] = row
      const number = index * NUMBERS
      numbers[number] = ms
      numbers[number + 1] = nanos
      numbers[number + 2] = receivedAt
      numbers[number + 3] = latitude ?? Number.NaN
      numbers[number + 4] = longitude ?? Number.NaN
      numbers[number + 5] = altitude ?? Number.NaN
      const first = index * TEXTS
      write(first, appId)
      write(first + 1, reporterId)
      write(first + 2, deviceId)
      write(first + 3, time)
      write(first + 4, payload)
    }
    return { count, memory: this.#memory }
  }

  #reserve(bytes: number): void {
    if (bytes > this.#memory.byteLength) this.#memory = new SharedArrayBuffer(2 ** Math.ceil(Math.log2(bytes)))
  }
}

const maxTextBytes = ([appId, reporterId, deviceId, , , at, , payload]: FlatRow): number =>
  MAX_UNIT_BYTES * (appId.length + reporterId.length + (deviceId?.length ?? 0) + (at?.length ?? 0) + payload.length)

/** The rows as they were packed, in order. */
export function* unpackRows({ count, memory }: PackedRows): Generator<FlatRow> {
  const { numbers, lengths, text } = layout(memory, count)
  let end = 0
  const textAt = (index: number): string | null => {
    const length = lengths[index]!
    if (length === ABSENT) return null
    const from = end
    end += length
    return text.toString('utf8', from, end)
  }
  const numberAt = (index: number): number | null => (Number.isNaN(numbers[index]) ? null : numbers[index]!)
  for (let row = 0; row < count; row += 1) {
    const texts = row * TEXTS
    const first = row * NUMBERS
    yield [
      textAt(texts)!,
      textAt(texts + 1)!,
      textAt(texts + 2),
      numbers[first]!,
      numbers[first + 1]!,
      textAt(texts + 3),
      numbers[first + 2]!,
      textAt(texts + 4)!,
      numberAt(first + 3),
      numberAt(first + 4),
      numberAt(first + 5),
    ]
  }
}

/** The outcome of one row. */
type RowOutcome = TelemetryStored | { readonly failed: StoreFailure }

/** The outcomes of packed rows: a code each for the usual ones; the others by index. */
export type SentOutcomes = { readonly codes: Uint8Array; readonly others: ReadonlyMap<number, RowOutcome> }

const usual = [STORED, DUPLICATE] as const
const OTHER = usual.length

/** Collects the outcomes of rows, in order. */
export class RowOutcomes {
  readonly #codes: Uint8Array
  readonly #others = new Map<number, RowOutcome>()
  #count = 0

  constructor(count: number) {
    this.#codes = new Uint8Array(count)
  }

  add(outcome: RowOutcome): void {
    const code = outcome === STORED ? 0 : outcome === DUPLICATE ? 1 : OTHER
    if (code === OTHER) this.#others.set(this.#count, outcome)
    this.#codes[this.#count] = code
    this.#count += 1
  }

  sent(): SentOutcomes {
    return { codes: this.#codes, others: this.#others }
  }
}

export const outcomeAt = ({ codes, others }: SentOutcomes, index: number): RowOutcome =>
  usual[codes[index]!] ?? others.get(index)!
