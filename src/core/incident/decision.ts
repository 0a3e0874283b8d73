import type { AlarmPlan } from './alarm-plan.ts'
import type { Delivery } from './delivery.ts'
import type { EndFacts } from './end.ts'
import type { EventType, IncidentEvent } from './event.ts'
import type { EarlierAlert, Incident } from './incident.ts'
import type { Before } from './put-off.ts'

/**
 * The state that the write door loads for a command. `earlier`: for `raise`. `plan`: for `raise`, and if
 * `needsPlan`. `incident`: for `drill` the user's open drill, if no real one is open. `lastSeenAt`: event time (epoch
 * ms) of the newest position, if `needsLastSeen`. `attempt`: the folded attempt that an outcome or receipt refers to.
 * Otherwise null or absent.
 */
export type Situation = {
  readonly incident: Incident | null
  readonly plan?: AlarmPlan | null
  readonly earlier?: EarlierAlert | null
  readonly lastSeenAt?: number | null
  readonly attempt?: Delivery | null
  /** For `raise`: whether the alert names a device that nobody has paired. */
  readonly unknownDevice?: boolean
  /** For `raise`: whether the reporter is a listed relay. */
  readonly isListed?: boolean
  /** For `drill`: how many of the application's drills began in the last `DRILLS_WITHIN_MS`. */
  readonly drillsBefore?: number
  /** How many of them are by users whom nobody vouches for; null: somebody vouches for this one. */
  readonly strangersDrills?: number | null
  /** For a command with an `end`. */
  readonly end?: EndFacts
  /** For `raise`: whether the user's session ended this very alert before it arrived. */
  readonly isAwaited?: boolean
  /** For `raise` without an open incident. */
  readonly before?: Before | null
}

/** The reason why no drill begins. preparing.md#drills. */
export type DrillRefusal = 'incident_open' | 'drill_open' | 'too_many_drills'

/**
 * The result of a command. `too_late`: an end without a name was not decided in time; nothing has changed.
 * `ended_before`: the alert's end arrived before it, so it opens and joins nothing. rules.md#ends. `put_off`: the alert
 * was not made by hand and is put off; `incident` is the ended one that records it. rules.md#put-off.
 */
export type Verdict =
  | 'opened'
  | 'updated'
  | 'repeated'
  | 'ended_before'
  | 'put_off'
  | 'changed'
  | 'unchanged'
  | 'too_late'

/** Whether there is a change for the audit log. */
export const isChange = (verdict: Verdict): boolean => verdict !== 'unchanged' && verdict !== 'too_late'

export type Decision = {
  readonly verdict: Verdict
  /** The incident afterwards. Null if there is none, or if a repeat belongs to a closed one. */
  readonly incident: Incident | null
  /** To publish after the commit, in this order. */
  readonly events: readonly IncidentEvent[]
  /** Claimed by this command: to send after the commit. */
  readonly claimed: readonly Delivery[]
  /** Claimed earlier, no outcome since: to look up. */
  readonly unsure: readonly Delivery[]
  /** Sent, receipt overdue: to ask the provider about. */
  readonly asked: readonly Delivery[]
  /** Whether this command ended the last round without an acknowledgement. */
  readonly exhausted: boolean
  /** Attempts folded by this command: to write into the timeline. */
  readonly folded: readonly Delivery[]
  /** Only of `drill`: nothing changed, for this reason. */
  readonly refused?: DrillRefusal
  /** Only of an end that names its alarm: whether that alarm is over now, whoever ended it. rules.md#ends. */
  readonly ended?: boolean
  /** Only of an end that names a press: the press is still under way, and the store keeps its end. */
  readonly awaits?: true
}

/** One step of a decision: the new incident, and what happened on the way. */
export type Step = {
  readonly incident: Incident
  readonly verdict?: Verdict
  readonly events?: readonly EventType[]
  readonly claimed?: readonly Delivery[]
  readonly unsure?: readonly Delivery[]
  readonly asked?: readonly Delivery[]
  readonly exhausted?: boolean
}
