import type { Command } from '../core/incident/command.ts'
import type { Decision } from '../core/incident/decision.ts'
import type { Delivery } from '../core/incident/delivery.ts'
import type { Incident } from '../core/incident/incident.ts'
import type { Position } from '../core/ingest/payload.ts'
import type { Page, PageQuery } from './page.ts'

/**
 * Which incident a command is for. `openOf`: the user's open one. `reporter`: the open one of whoever owns the device
 * (LoRa relay).
 */
export type IncidentKey =
  | { readonly incidentId: string }
  | { readonly openOf: string }
  | { readonly reporter: Reporter }

/** Who published a payload, and the device that it names. rules.md#relays. */
export type Reporter = { readonly appId: string; readonly userId: string; readonly deviceId: string | null }

/** What the write door committed. */
export type Committed = Decision & {
  readonly lastPosition: Position | null
  /** When the dispatcher has to look at the incident next, epoch ms. */
  readonly nextActionAt: number | null
  /** The payload named a device that nobody in the application has paired: it counts as the reporter's own. */
  readonly unknownDevice: boolean
  /** What an outcome or a receipt was about, as it stands afterwards; null for other commands and unknown attempts. */
  readonly attempt: Delivery | null
}

export type IncidentRecord = { readonly incident: Incident; readonly lastPosition: Position | null }
export type HistoryRecord = IncidentRecord & { readonly trail: readonly Position[] }

export type IncidentStore = {
  /** The one write door: loads the incident, runs `decide` inside the transaction, writes what came of it. */
  changeIncident(key: IncidentKey, command: Command): Promise<Committed>
  incident(incidentId: string): Promise<IncidentRecord | null>
  /** One attempt, wherever it is kept. */
  attempt(attemptId: string): Promise<Delivery | null>
  /**
   * Every attempt of an incident, oldest first: those of its record, before them the newest 10,000 that were folded out
   * of it.
   */
  attempts(incidentId: string): Promise<readonly Delivery[]>
  openIncident(userId: string): Promise<IncidentRecord | null>
  /** The user's open incident, else the last one if it was closed after `since` (epoch ms). */
  latestIncident(userId: string, since: number): Promise<Incident | null>
  history(userId: string, page: PageQuery): Promise<Page<HistoryRecord> | { readonly refused: 'bad_cursor' }>
  /** Ids that begin with `prefix` (lower-case), in order, at most `max`. */
  incidentIds(prefix: string, max: number): Promise<readonly string[]>
  /**
   * Where the person was while the incident was open: oldest first, the newest 1,000. Empty for an unknown incident.
   */
  positionTrail(incidentId: string): Promise<readonly Position[]>
  /** For the operator: every incident, newest first, at most 1,000. */
  incidents(filter: { readonly openOnly: boolean }): Promise<readonly IncidentRecord[]>
  /** The incident and contact that a tracking link names. */
  trackingLink(token: string): Promise<(IncidentRecord & { readonly contactId: string }) | null>
}

/** What the dispatcher works through: incidents with something to do. */
export type DueIncidents = {
  /** Ids of incidents with something to do at `now`, the most overdue first, `except` those. */
  due(now: number, limit: number, except?: readonly string[]): Promise<readonly string[]>
  /** The earliest moment (epoch ms) at which any incident, `except` those, has something to do, or null. */
  nextActionAt(except?: readonly string[]): Promise<number | null>
  /**
   * Ids that providers gave to calls to this number (E.164), of incidents that are open or were closed after `since`
   * (epoch ms).
   */
  callRefs(phone: string, since: number): Promise<readonly string[]>
  /**
   * Runs one command on every incident with something pending, in one commit, in which the command's time also becomes
   * the newest moment: that is always reckoned in the clock that the stored deadlines are. For changes of the clock.
   * Returns how many changed.
   */
  changePending(command: Extract<Command, { type: 'shiftDeadlines' | 'reckonAnew' }>): Promise<number>
}
