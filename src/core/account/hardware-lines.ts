import { z } from 'zod'
import { devEuiOf } from '../ingest/device-key.ts'
import { fieldMessage } from '../ingest/field-message.ts'
import { hardwareIdField, modelField, newPairingCodeField } from './pairing-schema.ts'

/** One tracker, as a line of the operator's file. */
const hardwareSchema = z.object({
  hardwareId: hardwareIdField,
  pairingCode: newPairingCodeField,
  model: modelField.nullable(),
})

/** A record of the file with its first line (counted from 1), or the problem with its quoting. */
export type FileRecord =
  | { readonly line: number; readonly fields: readonly string[] }
  | { readonly line: number; readonly malformed: string }
export type HardwareLine = z.infer<typeof hardwareSchema> & { readonly line: number }
/** A problem with one line. `field` is null if it concerns the line as a whole. */
export type BadLine = { readonly line: number; readonly field: string | null; readonly message: string }

const COLUMNS = ['hardwareId', 'pairingCode', 'model'] as const

/**
 * Reads the records of a file of trackers: a header, then one tracker per line; the header is line 1
 * (protocol.md#command-line). If several lines have the same hardware id, the first is used and the others are
 * reported, because it is unknown which code is right.
 */
export function hardwareLines([header, ...records]: readonly FileRecord[]):
  | { readonly good: readonly HardwareLine[]; readonly bad: readonly BadLine[] }
  | { readonly refused: string } {
  const isHeader = header !== undefined && 'fields' in header && header.fields.join() === COLUMNS.join()
  if (!isHeader) return { refused: `the first line must be ${COLUMNS.join()}` }

  const good = new Map<string, HardwareLine>()
  const bad: BadLine[] = []
  for (const record of records) {
    const { line } = record
    const read = 'malformed' in record ? { message: record.malformed } : readFields(record.fields)
    if ('message' in read) {
      bad.push({ line, field: null, message: read.message })
      continue
    }
    if ('issues' in read) {
      for (const issue of read.issues) bad.push({ line, field: String(issue.path[0]), message: issue.message })
      continue
    }
    // Two spellings of one DevEUI are the same tracker.
    const key = devEuiOf(read.hardwareId) ?? read.hardwareId
    const earlier = good.get(key)
    if (earlier === undefined) good.set(key, { line, ...read })
    else bad.push({ line, field: 'hardwareId', message: `repeats the one in line ${earlier.line}` })
  }
  return { good: [...good.values()], bad }
}

function readFields(fields: readonly string[]) {
  if (fields.length !== COLUMNS.length) return { message: `has ${fields.length} fields instead of ${COLUMNS.length}` }
  const [hardwareId, pairingCode, model = ''] = fields
  const line = { hardwareId, pairingCode, model: model.trim() === '' ? null : model }
  const checked = hardwareSchema.safeParse(line, { error: fieldMessage })
  return checked.success ? checked.data : { issues: checked.error.issues }
}
