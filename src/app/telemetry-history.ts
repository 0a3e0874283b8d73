import type { Session } from '../core/account/session.ts'
import { isoAt } from '../core/ingest/event-time.ts'
import type { FieldProblem } from '../core/ingest/field-problem.ts'

import { isJsonObject } from '../core/ingest/json.ts'
import type { Payload } from '../core/ingest/payload.ts'

import { type Page, StoreError, type TelemetryQuery, type TelemetryStore } from '../ports/store.ts'
import type { ingestTelemetry, Taken } from './ingest-telemetry.ts'

type RejectedRow = FieldProblem & { readonly index: number }

/** ISO 8601. */
export type TelemetryItem = Payload & { readonly receivedAt: string }

export type Appended = {
  readonly accepted: number
  readonly duplicates: number
  /** One entry per bad row, with its first bad field. Accepted, duplicate and rejected rows add up to the rows sent. */
  readonly rejected: readonly RejectedRow[]
}

/** Stores telemetry that was collected offline, and reads it back. protocol.md#rest. */
export const telemetryHistory = ({
  store,
  ingest,
}: {
  readonly store: TelemetryStore
  readonly ingest: ReturnType<typeof ingestTelemetry>
}) => ({
  /**
   * Keeps good rows even if others are bad. Settles when all of them are on disk. Rejects with a StoreError; the call
   * may then be repeated.
   */
  async append(session: Session, rows: readonly unknown[]): Promise<Appended> {
    // Avoids parsing a thousand rows that would all be refused.
    if (store.isCongested(session.userId))
      throw new StoreError('too many writes are waiting for the disk', 'overloaded')
    // Submitted together, so that the store batches them into few commits.
    const taken = await Promise.all(
      rows.map((row) => (isJsonObject(row) ? ingest(session, row) : { refused: [NO_OBJECT] })),
    )
    const stored = taken.filter((one): one is Taken => !('refused' in one))
    const duplicates = stored.filter((one) => one.duplicate).length
    const rejected = taken.flatMap((one, index) =>
      'refused' in one ? one.refused.slice(0, 1).map((problem) => ({ index, ...problem })) : [],
    )
    return { accepted: stored.length - duplicates, duplicates, rejected }
  },

  /** Newest first. Each row as it was accepted, plus `receivedAt`. */
  async read(
    { userId }: Session,
    query: TelemetryQuery,
  ): Promise<Page<TelemetryItem> | { readonly refused: 'bad_cursor' }> {
    const page = await store.telemetryHistory(userId, query)
    if ('refused' in page) return page
    return {
      items: page.items.map(({ payload, receivedAt }) => ({ ...payload, receivedAt: isoAt(receivedAt) })),
      after: page.after,
    }
  },
})

const NO_OBJECT: FieldProblem = { field: 'body', message: 'must be a JSON object' }
