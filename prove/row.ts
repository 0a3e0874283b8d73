/** B's SOS, in milliseconds from the press: to the PUBACK, and to the `processed` event on the phone. */
export type SosFigures = {
  /** Half of B's presses just before took at most this, to the event; null where nobody pressed then. */
  readonly quietP50Ms: number | null
  readonly presses: number
  readonly pubackP50Ms: number
  readonly pubackMaxMs: number
  readonly p50Ms: number
  readonly maxMs: number
}

/** What the process held at most. */
export type VitalFigures = { readonly rssMaxMb: number | null; readonly descriptorsMax: number | null }

/** One line of the table. A figure is null where the row has nothing to count. */
export type Row = VitalFigures & {
  readonly part: string
  /** What was done. */
  readonly what: string
  /** Alerts and rows that the service has answered with a PUBACK or 2xx. */
  readonly acknowledged: number | null
  /** Sent, and not acknowledged by the end although its phone came back again and again. Not lost: the phone knows. */
  readonly unanswered: number | null
  /** Acknowledged and not there afterwards, or owed to a contact and never sent. */
  readonly lost: number | null
  /** B's presses that took more than a second; messages that left more than `LATE_MESSAGE_MS` after they were due. */
  readonly late: number | null
  /** Rows stored twice; messages that a contact got twice. */
  readonly doubled: number | null
  readonly sos: SosFigures | null
  readonly remark: string
  /** Why this part could not run here. */
  readonly skipped: string | null
}

export const LATE_PRESS_MS = 1000
export const LATE_MESSAGE_MS = 30_000

const nothing = {
  acknowledged: null,
  unanswered: null,
  lost: null,
  late: null,
  doubled: null,
  sos: null,
  rssMaxMb: null,
  descriptorsMax: null,
  remark: '',
  skipped: null,
} as const

/** A row with what it has; the rest is null. */
export const rowOf = (row: Pick<Row, 'part' | 'what'> & Partial<Row>): Row => ({ ...nothing, ...row })
