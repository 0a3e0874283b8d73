/** B's SOS, in milliseconds from the press: to the PUBACK, and to the `processed` event on the phone. */
export type SosFigures = {
  /** The median of B's presses just before, to the event; null if there were none. */
  readonly quietP50Ms: number | null
  readonly presses: number
  readonly pubackP50Ms: number
  readonly pubackMaxMs: number
  readonly p50Ms: number
  readonly maxMs: number
}

/** The peak usage of the process. */
export type VitalFigures = { readonly rssMaxMb: number | null; readonly descriptorsMax: number | null }

/** One line of the table. A figure is null if the row has nothing to count. */
export type Row = VitalFigures & {
  readonly part: string
  readonly what: string
  /** Alerts and rows that the service has answered with a PUBACK or 2xx. */
  readonly acknowledged: number | null
  /** Sent, but not acknowledged by the end although its phone kept reconnecting. Not lost, because the phone knows. */
  readonly unanswered: number | null
  /** Acknowledged but missing afterwards, or owed to a contact and never sent. */
  readonly lost: number | null
  /** Presses of B that took more than a second, and messages sent more than `LATE_MESSAGE_MS` after they were due. */
  readonly late: number | null
  /** Rows stored twice, and messages that a contact got twice. */
  readonly doubled: number | null
  readonly sos: SosFigures | null
  readonly remark: string
  /** What must hold on any machine, and did not. */
  readonly faults: readonly string[]
  /** What took longer than it should: a fault as well, unless the machine was busy. */
  readonly slow: readonly string[]
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
  faults: [],
  slow: [],
  skipped: null,
} as const

/** A row with the given columns; all others are null. */
export const rowOf = (row: Pick<Row, 'part' | 'what'> & Partial<Row>): Row => ({ ...nothing, ...row })

/** Those that are false. */
export const unmet = (claims: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(claims).filter((claim) => !claims[claim])

/** Whether the proof fails on this row. */
export const isRed = ({ faults, slow, lost }: Row): boolean => faults.length > 0 || slow.length > 0 || (lost ?? 0) > 0
