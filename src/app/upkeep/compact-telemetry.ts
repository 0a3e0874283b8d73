import { compactIfExact } from '../../core/ingest/stored-payload.ts'
import type { CompactedRow, CompactionStore, TextRow } from '../../ports/store.ts'

/** A slice takes the store a few milliseconds. Writes that arrive meanwhile are committed before the next one. */
const SLICE_ROWS = 500
const PAUSE_MS = 25

export type Compacted = {
  readonly looked: number
  readonly rows: number
  /** Payload bytes that the rows take less. */
  readonly bytes: number
  /** Rows that stay text, because their payload is not exactly what the compact form would give back. */
  readonly kept: number
}

type Needs = {
  readonly store: CompactionStore
  readonly wait: (ms: number) => Promise<void>
  readonly onProgress: (done: Compacted) => void
}

/**
 * Rewrites all telemetry that earlier versions stored as JSON text, slice by slice. It can be ended and begun anew at
 * any time.
 */
export async function compactTelemetry({ store, wait, onProgress }: Needs): Promise<Compacted> {
  let done: Compacted = { looked: 0, rows: 0, bytes: 0, kept: 0 }
  for (let from: string | null = ''; from !== null; ) {
    const { rows, next } = await store.textRows({ from, max: SLICE_ROWS })
    const compacted = rows.map(compactedOf).filter((row) => row !== null)
    const changed = compacted.length === 0 ? { rows: 0, bytes: 0 } : await store.compactRows(compacted)
    done = {
      looked: done.looked + rows.length,
      rows: done.rows + changed.rows,
      bytes: done.bytes + changed.bytes,
      kept: done.kept + rows.length - compacted.length,
    }
    onProgress(done)
    from = next
    if (compacted.length > 0) await wait(PAUSE_MS)
  }
  return done
}

/** Null if the compact form would not give back exactly what the text says. */
function compactedOf({ at, payload: text, ...row }: TextRow): CompactedRow | null {
  const place = {
    time: at === null ? { ms: row.ms, nanos: row.nanos } : null,
    deviceId: row.deviceId === '' ? null : row.deviceId,
  }
  const compact = compactIfExact(text, place)
  return compact === null ? null : { ...row, compact }
}
