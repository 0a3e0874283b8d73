import type { ClockCommand, Command } from '../core/incident/command.ts'
import type { Decision } from '../core/incident/decision.ts'
import type { Delivery, Lease } from '../core/incident/delivery.ts'
import type { Incident } from '../core/incident/incident.ts'
import type { NewestPositions, Whereabouts } from '../core/incident/places.ts'
import type { Position } from '../core/ingest/position.ts'
import type { AuditEntry } from '../core/operator/audit.ts'
import type { Page, PageQuery } from './page.ts'

/**
 * The incident that a command is for. `openOf`: the user's open one, which is never a drill. `reporter`: the open one
 * of the device's owner (LoRa relay).
 */
export type IncidentKey =
  | { readonly incidentId: string }
  | { readonly openOf: string }
  | { readonly reporter: Reporter }

/** The user who published a payload, and the device that it names. rules.md#relays. */
export type Reporter = {
  readonly appId: string
  readonly userId: string
  readonly deviceId: string | null
  /** The tracker sent it itself: by a network server, or with its own token. */
  readonly byDevice?: boolean
}

/** A commit of the write door. Its `incident` may be built when it is first read. */
export type Committed = Decision & {
  /** Of `incident`. */
  readonly incidentId: string | null
  /** The incident before the change; null if there was none. Only where `announcesNow` needs it. */
  readonly previous?: Incident | null
  readonly lastPosition: Whereabouts['lastPosition']
  readonly newest?: NewestPositions
  /** When the dispatcher must look at the incident next, epoch ms. */
  readonly nextActionAt: number | null
  /** The payload named a device that nobody in the application has paired. It counts as the reporter's own. */
  readonly unknownDevice: boolean
  /** The attempt of an outcome or a receipt, after the change. Null for other commands and unknown attempts. */
  readonly attempt: Delivery | null
  /**
   * Others were changing the incident, so its due work was left alone. `lateMs`: by how much the earliest of it
   * is late.
   */
  readonly busy?: { readonly lateMs: number }
  /** Other incidents that changed in the same commit: a drill (preparing.md#drills), a put-off (rules.md#put-off). */
  readonly overtaken?: readonly Announcement[]
}

/** A commit, for its followers. `incidentId`: null if there was none to change. */
export type Announcement = Pick<Committed, 'incidentId' | 'events' | 'nextActionAt'>

export type IncidentRecord = Whereabouts & { readonly incident: Incident }
export type HistoryRecord = IncidentRecord & { readonly trail: readonly Position[] }

/**
 * Its first element is 1 once a request is withdrawn: its client has gone. Shared memory, so that whatever thread
 * decides sees it. rules.md#ends.
 */
export type Withdrawal = Int32Array<SharedArrayBuffer>

export type IncidentStore = {
  /**
   * The one write door: loads the incident, runs `decide` inside the transaction and writes the decision. `audit`: the
   * row of an operator's change, stored with it, unless nothing has changed. `withdrawal`: of an end without a name.
   */
  changeIncident(key: IncidentKey, command: Command, audit?: AuditEntry, withdrawal?: Withdrawal): Promise<Committed>
  incident(incidentId: string): Promise<IncidentRecord | null>
  /** One attempt, live or folded. */
  attempt(attemptId: string): Promise<Delivery | null>
  /**
   * The attempts of an incident, oldest first: the newest `max` folded ones (10,000 are kept), then those of the
   * record.
   */
  attempts(incidentId: string, max?: number): Promise<readonly Delivery[]>
  openIncident(userId: string): Promise<IncidentRecord | null>
  /** The user's open incident, else the last one if it was closed after `since` (epoch ms). */
  latestIncident(userId: string, since: number): Promise<Incident | null>
  /** Without drills. */
  history(userId: string, page: PageQuery): Promise<Page<HistoryRecord> | { readonly refused: 'bad_cursor' }>
  /** Ids that begin with `prefix` (lower-case), sorted, at most `max`. */
  incidentIds(prefix: string, max: number): Promise<readonly string[]>
  /**
   * The person's positions while the incident was open: oldest first, the newest 1,000. Empty for an unknown incident.
   */
  positionTrail(incidentId: string): Promise<readonly Position[]>
  /** For the operator: all incidents but drills, newest first, at most 1,000. */
  incidents(filter: { readonly openOnly: boolean }): Promise<readonly IncidentRecord[]>
  /** The incident and contact of a tracking link. */
  trackingLink(token: string): Promise<(IncidentRecord & { readonly contactId: string }) | null>
}

/** A selection of drills, newest first. `userId`: null for all of the application. `since`: opened since, epoch ms. */
export type DrillQuery = {
  readonly appId: string
  readonly userId: string | null
  readonly since: number
  readonly limit: number
  /** Only those that have not ended. */
  readonly isOpen?: true
}

export type DrillStore = { drills(query: DrillQuery): Promise<readonly Incident[]> }

/** Ids of incidents with something to do, each kind the most overdue first. */
export type Due = { readonly real: readonly string[]; readonly drills: readonly string[] }

/**
 * The dispatcher's work list: incidents with something to do. `except`: incidents that do not count. `others`: the
 * leases of other living nodes, whose claims do not count.
 */
export type DueIncidents = {
  /** The incidents with something to do at `now`: the `limit` most overdue ones, real ones before any drill. */
  due(now: number, limit: number, except?: readonly string[], others?: readonly Lease[]): Promise<Due>
  /** The earliest moment (epoch ms) at which any incident has something to do, or null. */
  nextActionAt(except?: readonly string[], others?: readonly Lease[]): Promise<number | null>
  /** The same for real incidents, whichever node handles them: nothing else may delay them. */
  nextRealActionAt(): Promise<number | null>
  /**
   * Ids that providers gave to calls to this number (E.164), from incidents that are open or were closed after `since`
   * (epoch ms).
   */
  callRefs(phone: string, since: number): Promise<readonly string[]>
  /**
   * Runs one command on every incident with something pending. The same commit sets the newest moment to the command's
   * time, because that moment and the stored deadlines must always be in the same clock. For changes of the clock.
   * Returns the number of changed incidents.
   */
  changePending(command: ClockCommand): Promise<number>
}
