import type { Session } from '../../core/account/session.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'

import { isJsonObject } from '../../core/ingest/json.ts'
import type { Payload } from '../../core/ingest/payload.ts'
import type { PositionSource } from '../../core/ingest/position.ts'
import { nextTurn } from '../../lib/waits.ts'
import { type Page, StoreError, type TelemetryQuery, type TelemetryStore } from '../../ports/store.ts'
import type { ingestTelemetry, Taken } from './ingest-telemetry.ts'

type RowTaken = Awaited<ReturnType<ReturnType<typeof ingestTelemetry>>>
type RejectedRow = FieldProblem & { readonly index: number }

/** `receivedAt`: ISO 8601. `source`: absent in rows of an earlier version. */
export type TelemetryItem = Payload & { readonly receivedAt: string; readonly source?: PositionSource }

export type Appended = {
  readonly accepted: number
  readonly duplicates: number
  /** One entry per bad row, with its first bad field. Accepted, duplicate and rejected rows add up to the rows sent. */
  readonly rejected: readonly RejectedRow[]
}

/** Rows read in one go: about a millisecond of the thread that alarms need as well. */
const ROWS_AT_ONCE = 25

/** Stores telemetry that was collected offline, and reads it back. protocol.md#rest. */
export const telemetryHistory = ({
  store,
  ingest,
  turns,
}: {
  readonly store: TelemetryStore
  readonly ingest: ReturnType<typeof ingestTelemetry>
  /** One piece of work at a time, users in turn. Never null for work that goes on. */
  readonly turns: {
    run<R>(userId: string, work: () => Promise<R>, going: { readonly isGoingOn: true }): Promise<R | null>
  }
}) => ({
  /**
   * Stores the good rows even if others are bad. Settles when all of them are on disk. Rejects with a StoreError; the
   * call may then be repeated. Other work gets its turn after every few rows: in one go, the uploads that a user may
   * send in a minute would delay everybody's alarms as long.
   */
  async append(session: Session, rows: readonly unknown[]): Promise<Appended> {
    // Avoids parsing a thousand rows that would all be refused.
    if (store.isCongested(session.userId))
      throw new StoreError('too many writes are waiting for the disk', 'overloaded')
    const submitted: Promise<readonly RowTaken[]>[] = []
    let hasFailed = false
    const submit = async (some: readonly unknown[]): Promise<void> => {
      if (hasFailed) return
      // Not awaited: the store gathers the rows of several turns into one commit.
      const piece = Promise.all(
        some.map((row) => (isJsonObject(row) ? ingest(session, row) : { refused: [NO_OBJECT] })),
      )
      piece.catch(() => {
        hasFailed = true
      })
      submitted.push(piece)
      await nextTurn()
    }
    const pieces = Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, nth) =>
      rows.slice(nth * ROWS_AT_ONCE, (nth + 1) * ROWS_AT_ONCE),
    )
    await Promise.all(pieces.map((some) => turns.run(session.userId, () => submit(some), { isGoingOn: true })))
    const taken = (await Promise.all(submitted)).flat()
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
      items: page.items.map(({ payload, receivedAt, source }) => ({
        ...payload,
        receivedAt: isoAt(receivedAt),
        ...(source !== null && { source }),
      })),
      after: page.after,
    }
  },
})

const NO_OBJECT: FieldProblem = { field: 'body', message: 'must be a JSON object' }
