import { AWAITED_MS, type PressName } from '../../../core/incident/end.ts'
import type { Alert } from '../../../core/ingest/alert.ts'
import { deviceKeyOf } from '../../../core/ingest/device-key.ts'

/**
 * An alert under the name that its sender gave it. `key`: equal for two spellings of one device; '' if none is named.
 */
export type SentAlert = { readonly ms: number; readonly nanos: number; readonly sentId: string; readonly key: string }

function sentAlertOf(deviceId: string | null | undefined, sentAt: PressName['sentAt'] | undefined): SentAlert | null {
  if (sentAt === null || sentAt === undefined) return null
  const sentId = deviceId ?? ''
  return { ms: sentAt.ms, nanos: sentAt.nanos, sentId, key: deviceKeyOf(sentId) }
}

/** Null if the alert has no readable time. */
export const sentOf = ({ payload, sentAt }: Alert): SentAlert | null => sentAlertOf(payload.deviceId, sentAt)

export const sentBefore = ({ deviceId, sentAt }: PressName): SentAlert | null => sentAlertOf(deviceId, sentAt)

/** SQL for a column of `alerts`: the instant as sent, also in rows of an earlier version. */
const SENT_MS = 'coalesce(sent_ms, CASE WHEN sent_by IS NULL THEN ms END)'
const SENT_NANOS = 'coalesce(sent_nanos, CASE WHEN sent_by IS NULL THEN nanos END)'

type Given = { readonly ms: string; readonly nanos: string; readonly sentId: string; readonly key: string }

/** SQL for whether a row of `alerts` is the alert with this instant and device, expressions of SQL. */
const isSentSql = ({ ms, nanos, sentId, key }: Given): string =>
  `${SENT_MS} = ${ms} AND ${SENT_NANOS} = ${nanos} AND device_id IN (${sentId}, ${key})`

/**
 * SQL for the rows of `alerts` of one user that were sent so, with a statement for each way to find them. `user`: the
 * condition for the user.
 */
export const sentRowsSql = (columns: string, user: string, given: Given): string =>
  `SELECT ${columns} FROM alerts WHERE ${user} AND ms = ${given.ms} AND nanos = ${given.nanos} AND ${isSentSql(given)}
   UNION ALL
   SELECT ${columns} FROM alerts WHERE ${user} AND sent_ms = ${given.ms} AND sent_ms <> ms AND ${isSentSql(given)}`

/**
 * SQL for the condition that a row of `alerts` is a press of an own source, later than the one that was named: by its
 * arrival or its event time, as `isLaterPress`. `named`: expressions for the columns of that one.
 */
export const laterPressSql = (
  given: Given,
  named: { readonly receivedAt: string; readonly ms: string; readonly nanos: string },
): string =>
  `(received_at > ${named.receivedAt} OR (ms, nanos) > (${named.ms}, ${named.nanos}))
   AND coalesce(sent_by, 'session') NOT IN ('other', 'timer') AND (${isSentSql(given)}) IS NOT TRUE`

/** SQL for whether a row of `alerts` came from the owner's session. */
export const BY_SESSION = "(sent_by = 'session' OR (sent_by IS NULL AND NOT relayed))"

/** An awaited end that was written before this has lapsed, at `now` (epoch ms). */
export const awaitedSince = (now: number): number => now - AWAITED_MS
