import { MINUTE } from '../../lib/durations.ts'
import { compareEventTimes, parseEventTime } from '../ingest/event-time.ts'
import { isOwnSource, type Position } from '../ingest/position.ts'
import { shownPosition } from './drill-shown.ts'
import { type Incident, wasTaken } from './incident.ts'

/** How long one of the owner's own positions takes precedence over a newer one of another user. */
const OWN_COUNTS_MS = 15 * MINUTE

/**
 * The newest positions of an incident, each by its event time. `own`: from the owner's own sources. `ofDevice`: those
 * of the tracker that the press came through. `listed`: from a listed relay. `other`: through another user's session.
 */
export type NewestPositions = {
  readonly own: Position | null
  readonly ofDevice: Position | null
  readonly listed: Position | null
  readonly other: Position | null
}

/**
 * The person's whereabouts. `newest` is absent in the usual case: `lastPosition` comes from an own source, and no other
 * position adds to it.
 */
export type Whereabouts = { readonly lastPosition: Position | null; readonly newest?: NewestPositions }

/** Negative if `a` is earlier. An unreadable time is earlier than any other. */
const byTime = (a: Position, b: Position): number => {
  const [at, bt] = [parseEventTime(a.at), parseEventTime(b.at)]
  return at === null || bt === null ? Number(at !== null) - Number(bt !== null) : compareEventTimes(at, bt)
}

const lateBy = (later: Position, earlier: Position): number =>
  (parseEventTime(later.at)?.ms ?? 0) - (parseEventTime(earlier.at)?.ms ?? 0)

/** The own position that counts: the pressed tracker's, unless another is much newer. */
const ownOf = ({ own, ofDevice }: NewestPositions): Position | null =>
  own !== null && ofDevice !== null && lateBy(own, ofDevice) <= OWN_COUNTS_MS ? ofDevice : own

/** The position through another user, if it is newer than every own one. */
const newerOther = ({ own, other }: NewestPositions): Position | null =>
  other !== null && (own === null || byTime(other, own) > 0) ? other : null

/**
 * The last position. One through another user counts only if no own source has one within the 15 min before it.
 * rules.md#positions.
 */
function lastPositionOf(newest: NewestPositions): Position | null {
  const { own } = newest
  const other = newerOther(newest)
  return other !== null && (own === null || lateBy(other, own) > OWN_COUNTS_MS) ? other : ownOf(newest)
}

/** The whereabouts that follow from the newest positions. */
export function whereaboutsOf(newest: NewestPositions): Whereabouts {
  const { own, ofDevice, listed, other } = newest
  const lastPosition = lastPositionOf(newest)
  const isAll = other === null && listed === null && (ofDevice === null || isSame(ofDevice, own))
  return isAll ? { lastPosition } : { lastPosition, newest }
}

/** The newer position through another user that is not the last position. Null if there is none. */
export function relayedPositionOf({ lastPosition, newest }: Whereabouts): Position | null {
  const other = newest === undefined ? null : newerOther(newest)
  return other === null || isSame(other, lastPosition) ? null : other
}

/** Compares by value: positions may come from another thread or from JSON. */
const isSame = (a: Position, b: Position | null): boolean => b !== null && a.at === b.at && a.source === b.source

/** The places without duplicates. */
const distinct = ({ textedAt = [] }: Incident, places: readonly (Position | null)[]): readonly Position[] =>
  places
    .filter(
      (place, at): place is Position => place !== null && places.findIndex((one) => one && isSame(one, place)) === at,
    )
    .map((place) => (place.source === 'other' && textedAt.includes(place.at) ? { ...place, bySms: true } : place))

/**
 * The places for board, case and chat, the most important first: the newest one of the pressed tracker, from an own
 * source; one through another user comes first only if the press itself contained it. rules.md#positions.
 */
export function placesOf(incident: Incident, whereabouts: Whereabouts): readonly Position[] {
  const { lastPosition, newest } = whereabouts
  if (incident.drill !== undefined) return distinct(incident, [shownPosition(incident, lastPosition)])
  if (newest === undefined) return distinct(incident, [lastPosition])
  const other = newerOther(newest)
  const pressed = other !== null && other.at === incident.raisedByOthers?.at ? other : null
  return distinct(incident, [pressed, newest.ofDevice, lastPosition, newest.own, other])
}

/**
 * The places that contacts see. `all`: the same as the board. `relayed`: only those that came through relays, because
 * only other users have raised it so far. `none`: as `relayed`, and the owner has ended it. rules.md#relays.
 */
export function contactsSee(incident: Incident): 'all' | 'relayed' | 'none' {
  const { raisedByOthers, closing } = incident
  if (raisedByOthers === undefined) return 'all'
  if (closing?.by === 'user') return 'none'
  return wasTaken(incident) ? 'all' : 'relayed'
}

/** The places that contacts see, the most important first. rules.md#relays. */
export function contactPlacesOf(incident: Incident, whereabouts: Whereabouts): readonly Position[] {
  const seen = contactsSee(incident)
  switch (seen) {
    case 'all':
      return placesOf(incident, whereabouts)
    case 'relayed': {
      const { listed = null, other = null } = whereabouts.newest ?? {}
      return distinct(incident, [listed, other]).toSorted((a, b) => byTime(b, a))
    }
    case 'none':
      return []
    default:
      return seen satisfies never
  }
}

/** The person's path, without places through another user unless there are no others. */
export function wayOf(trail: readonly Position[]): readonly Position[] {
  const own = trail.filter(({ source }) => isOwnSource(source))
  return own.length > 0 ? own : trail
}

/** The part of a trail that contacts see. */
export function contactTrailOf(incident: Incident, trail: readonly Position[]): readonly Position[] {
  const seen = contactsSee(incident)
  switch (seen) {
    case 'all':
      return wayOf(trail)
    case 'relayed':
      return trail.filter(({ source }) => source === 'relay' || source === 'other')
    case 'none':
      return []
    default:
      return seen satisfies never
  }
}
