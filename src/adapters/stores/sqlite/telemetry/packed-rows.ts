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

const NUMBERS = ['ms', 'nanos', 'receivedAt', 'latitude', 'longitude', 'altitude', 'accuracy', 'flags'].length
const TEXTS = ['appId', 'reporterId', 'deviceId', 'text'].length + ['compact'].length
const BY_DEVICE = 1
const IS_ARRIVAL = 2
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const MAX_UNIT_BYTES = 3
/** Stands in place of a length. */
const ABSENT = -1
/** The text of the row before: a sender's rows come several in a row, and all senders have few applications. */
const SAME = -2
const INITIAL_BYTES = 256 * 1024

/** The bytes in front of the texts of `count` rows. */
const headerBytes = (count: number): number => count * (NUMBERS * 8 + TEXTS * 4)

/** The parts of `count` packed rows in the memory. */
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
    let before: FlatRow | null = null
    rows.forEach((row, index) => {
      const number = index * NUMBERS
      numbers[number] = row.ms
      numbers[number + 1] = row.nanos
      numbers[number + 2] = row.receivedAt
      numbers[number + 3] = row.latitude ?? Number.NaN
      numbers[number + 4] = row.longitude ?? Number.NaN
      numbers[number + 5] = row.altitude ?? Number.NaN
      numbers[number + 6] = row.accuracy ?? Number.NaN
      numbers[number + 7] = (row.byDevice ? BY_DEVICE : 0) + (row.isArrival ? IS_ARRIVAL : 0)
      const first = index * TEXTS
      if (row.appId === before?.appId) lengths[first] = SAME
      else write(first, row.appId)
      if (row.reporterId === before?.reporterId) lengths[first + 1] = SAME
      else write(first + 1, row.reporterId)
      write(first + 2, row.deviceId)
      write(first + 3, row.text)
      text.set(row.compact, at)
      lengths[first + 4] = row.compact.byteLength
      at += row.compact.byteLength
      before = row
    })
    return { count, memory: this.#memory }
  }

  #reserve(bytes: number): void {
    if (bytes > this.#memory.byteLength) this.#memory = new SharedArrayBuffer(2 ** Math.ceil(Math.log2(bytes)))
  }
}

const maxTextBytes = ({ appId, reporterId, deviceId, text, compact }: FlatRow): number =>
  MAX_UNIT_BYTES * (appId.length + reporterId.length + (deviceId?.length ?? 0) + text.length) + compact.byteLength

/** Passes on the rows as they were packed, in order. Their bytes are valid until the next pack. */
export function eachRow({ count, memory }: PackedRows, take: (row: FlatRow) => void): void {
  const { numbers, lengths, text } = layout(memory, count)
  let end = 0
  const textAt = (index: number): string | null => {
    const length = lengths[index]!
    if (length === ABSENT) return null
    const from = end
    end += length
    return text.toString('utf8', from, end)
  }
  const bytesAt = (index: number): Uint8Array => {
    const from = end
    end += lengths[index]!
    return text.subarray(from, end)
  }
  const numberAt = (index: number): number | null => (Number.isNaN(numbers[index]) ? null : numbers[index]!)
  let appId = ''
  let reporterId = ''
  for (let row = 0; row < count; row += 1) {
    const first = row * NUMBERS
    const texts = row * TEXTS
    if (lengths[texts] !== SAME) appId = textAt(texts)!
    if (lengths[texts + 1] !== SAME) reporterId = textAt(texts + 1)!
    take({
      appId,
      reporterId,
      deviceId: textAt(texts + 2),
      byDevice: (numbers[first + 7]! & BY_DEVICE) > 0,
      ms: numbers[first]!,
      nanos: numbers[first + 1]!,
      text: textAt(texts + 3)!,
      isArrival: (numbers[first + 7]! & IS_ARRIVAL) > 0,
      receivedAt: numbers[first + 2]!,
      compact: bytesAt(texts + 4),
      latitude: numberAt(first + 3),
      longitude: numberAt(first + 4),
      altitude: numberAt(first + 5),
      accuracy: numberAt(first + 6),
    })
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
