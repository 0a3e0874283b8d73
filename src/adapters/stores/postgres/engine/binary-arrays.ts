/**
 * Arrays as PostgreSQL reads them in its binary format (`array_recv`): a header, and each element behind its length.
 * The driver would write them as text, with each element quoted, which costs both sides twice as much.
 */

/** Element types by their number in the catalogue. */
const INT4 = 23
const INT8 = 20
const FLOAT8 = 701
const TEXT = 25
const BYTEA = 17

/** Dimensions, whether there are nulls, the element type; length and lower bound of the only dimension. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
/** Stands in place of a length. */
const NULL = -1
const HIGH = 2 ** 32

export const int4s = (values: readonly (number | null)[]): Buffer => fixed(values, INT4, 4, writeInt4)

/** Whole numbers up to 2 ** 53. */
export const int8s = (values: readonly (number | null)[]): Buffer => fixed(values, INT8, 8, writeInt8)

export const float8s = (values: readonly (number | null)[]): Buffer => fixed(values, FLOAT8, 8, writeFloat8)

export function texts(values: readonly (string | null)[]): Buffer {
  let bytes = HEADER_BYTES + LENGTH_BYTES * values.length
  for (const value of values) if (value !== null) bytes += Buffer.byteLength(value)
  const array = arrayOf(values.length, TEXT, bytes)
  let at = HEADER_BYTES
  for (const value of values) {
    if (value === null) {
      at = array.writeInt32BE(NULL, at)
      continue
    }
    const written = array.write(value, at + LENGTH_BYTES)
    at = array.writeInt32BE(written, at) + written
  }
  return array
}

type Writer = (array: Buffer, value: number, at: number) => number

const writeInt4: Writer = (array, value, at) => array.writeInt32BE(value, at)
const writeInt8: Writer = (array, value, at) =>
  array.writeUInt32BE(((value % HIGH) + HIGH) % HIGH, array.writeInt32BE(Math.floor(value / HIGH), at))
const writeFloat8: Writer = (array, value, at) => array.writeDoubleBE(value, at)

export function byteas(values: readonly (Uint8Array | null)[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + LENGTH_BYTES + (value?.byteLength ?? 0), HEADER_BYTES)
  const array = arrayOf(values.length, BYTEA, bytes)
  let at = HEADER_BYTES
  for (const value of values) {
    at = array.writeInt32BE(value?.byteLength ?? NULL, at)
    if (value === null) continue
    array.set(value, at)
    at += value.byteLength
  }
  return array
}

function fixed(values: readonly (number | null)[], type: number, size: number, write: Writer): Buffer {
  const array = arrayOf(values.length, type, HEADER_BYTES + (LENGTH_BYTES + size) * values.length)
  let at = HEADER_BYTES
  for (const value of values) {
    at = value === null ? array.writeInt32BE(NULL, at) : write(array, value, array.writeInt32BE(size, at))
  }
  return array.subarray(0, at)
}

/** With room for its elements. Nulls are found by their lengths: the server does not read the flag. */
function arrayOf(length: number, type: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(bytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(1, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(length, 12)
  array.writeInt32BE(1, 16)
  return array
}
