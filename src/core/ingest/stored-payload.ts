import { type Compact, CompactReader, CompactWriter, compactObject, type RowPlace } from './compact.ts'
import { type Payload, payloadFields } from './payload.ts'

/** The first byte: how the rest is written. */
const FORM = 1

const fields = compactObject(
  Object.fromEntries(Object.entries(payloadFields).map(([name, { compact }]) => [name, compact as Compact])),
)
const writer = new CompactWriter()

/** The payload as a row keeps it. `payloadOf` gives back the same values, in the order of the table. */
export function compactPayload(payload: Payload, row: RowPlace): Uint8Array {
  writer.begin()
  writer.byte(FORM)
  fields.write(writer, payload, row)
  return writer.copy()
}

/** The payload of a row. Throws an error for bytes that `compactPayload` has not written for this row. */
export function payloadOf(bytes: Uint8Array, row: RowPlace): Payload {
  const reader = new CompactReader(bytes)
  const form = reader.byte()
  if (form !== FORM) throw new Error(`a compact payload has the form ${form}, which this version does not know`)
  return fields.read(reader, row)
}
