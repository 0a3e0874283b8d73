import type { Delivery } from './delivery.ts'
import type { EventType, IncidentEvent } from './event.ts'
import type { EarlierAlert, Incident, Site } from './incident.ts'

/**
 * What the write door has loaded for a command. `earlier`: for `raise`. `site`: for `raise`, and where `needsSite`.
 * `lastSeenAt`: event time (epoch ms) of the newest position, where `needsLastSeen`. `attempt`: what an outcome or a
 * receipt is about, where it was folded. Null or absent otherwise.
 */
export type Situation = {
  readonly incident: Incident | null
  readonly site?: Site | null
  readonly earlier?: EarlierAlert | null
  readonly lastSeenAt?: number | null
  readonly attempt?: Delivery | null
}

/** What became of a command. */
export type Verdict = 'opened' | 'updated' | 'repeated' | 'changed' | 'unchanged'

export type Decision = {
  readonly verdict: Verdict
  /** As it stands afterwards. Null when there is none, or when a repeat belongs to a closed one. */
  readonly incident: Incident | null
  /** To publish after the commit, in this order. */
  readonly events: readonly IncidentEvent[]
  /** Claimed just now: to be sent after the commit. */
  readonly claimed: readonly Delivery[]
  /** Claimed earlier and without an outcome since: to be looked up. */
  readonly unsure: readonly Delivery[]
  /** Sent, and without a receipt for so long that the provider is to be asked. */
  readonly asked: readonly Delivery[]
  /** The last round ended without an acknowledgement just now. */
  readonly exhausted: boolean
  /** Attempts that left the record just now: to be written into the timeline. */
  readonly folded: readonly Delivery[]
}

/** A step of a decision: the incident as it should be, and what happened on the way. */
export type Step = {
  readonly incident: Incident
  readonly verdict?: Verdict
  readonly events?: readonly EventType[]
  readonly claimed?: readonly Delivery[]
  readonly unsure?: readonly Delivery[]
  readonly asked?: readonly Delivery[]
  readonly exhausted?: boolean
}
