import type { IncidentStatus } from '../core/incident/incident.ts'
import type { AuditRow } from '../core/operator/audit.ts'
import type { IncidentRecord } from './incident-store.ts'
import type { Page, PageQuery } from './page.ts'

/** A selection of incidents for a list. `from` and `to` bound when they opened (epoch ms; `to` exclusive). */
export type IncidentFilter = {
  readonly state: 'open' | 'closed' | 'all'
  /** Null: any. */
  readonly statuses: readonly IncidentStatus[] | null
  /** Ids. Null: every application. */
  readonly applications: readonly string[] | null
  readonly from: number | null
  readonly to: number | null
  /** Part of the person's name, phone or external id in any case, or the beginning of the incident's id. */
  readonly text: string | null
  /** Only drills. Absent: no drills. */
  readonly drills?: true
}

/** An incident with the further facts that a board shows. */
export type BoardRecord = IncidentRecord & {
  /** `groups`: absent if they are in none. */
  readonly person: { readonly name: string | null; readonly phone: string | null; readonly groups?: readonly string[] }
  readonly applicationName: string
  /** Different alerts, as far as they are remembered (rules.md#identity). */
  readonly presses: number
  /** Whether an operator has ticked that the person was called back. */
  readonly isCalledBack: boolean
  /** When the newest message was written, unless an operator wrote it. Absent: none waits for an answer. */
  readonly messageAt?: number
  /** When the person or a contact last wrote, whatever operators have written since. Absent: never. */
  readonly heardAt?: number
}

/** When an alert was made, and when it arrived (epoch ms). */
export type PressTimes = { readonly pressedAt: number; readonly receivedAt: number }

/** The alarms of one application in a major incident, drills apart. `incidentId`: of one of them. */
export type MajorPart = {
  readonly appId: string
  readonly isDrill: boolean
  readonly alarms: number
  readonly incidentId: string
}

/** Incidents as operators see them. */
export type BoardStore = {
  /**
   * Open ones by urgency (`urgencyOf`), the longest open first among equals; others newest first. A page may hold fewer
   * than `limit` although more follow: a request reads at most 20,000 incidents.
   */
  board(filter: IncidentFilter, page: PageQuery): Promise<Page<BoardRecord>>
  boardRecord(incidentId: string): Promise<BoardRecord | null>
  /** The alerts of an incident by their arrival, oldest first: the newest `max`. */
  pressTimes(incidentId: string, max: number): Promise<readonly PressTimes[]>
  /** The alarms of a major incident, open and ended, as numbers: none if it has no alarm. */
  majorParts(majorId: string): Promise<readonly MajorPart[]>
  /** The number of major incidents with an open alarm. */
  openMajors(): Promise<number>
  /** The alarms of a major incident, the longest open first: at most `max`. */
  majorRecords(majorId: string, max: number): Promise<readonly BoardRecord[]>
  /** The audit rows of changes to an incident: oldest first, the newest `max`. Looks and exports are not among them. */
  incidentActions(incidentId: string, max: number): Promise<readonly AuditRow[]>
}
