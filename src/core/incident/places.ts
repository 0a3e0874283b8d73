import { MINUTE } from '../../lib/durations.ts'
import { compareEventTimes, parseEventTime } from '../ingest/event-time.ts'
import { isOwnSource, type Position } from '../ingest/position.ts'
import { shownPosition } from './drill-shown.ts'
import { type Incident, wasTaken } from './incident.ts'

/** For how long a position of the owner's own keeps a newer one of another user from being the last position. */
const OWN_COUNTS_MS = 15 * MINUTE

/**
 * The newest positions of an incident, each by its event time. `own`: of the owner's own sources. `ofDevice`: own ones
 * of the tracker that the press came through. `listed`: of a listed relay. `other`: through another user's session.
 */
export type NewestPositions = {
  readonly own: Position | null
  readonly ofDevice: Position | null
  readonly listed: Position | null
  readonly other: Position | null
}

/**
 * What is known of where the person is. `newest`: absent where `lastPosition` is all, which it nearly always is: it is
 * of an own source, and no other one says anything else.
 */
export type Whereabouts = { readonly lastPosition: Position | null; readonly newest?: NewestPositions }

/** Negative when `a` is earlier. A time that cannot be read is earlier than any other. */
const byTime = (a: Position, b: Position): number => {
  const [at, bt] = [parseEventTime(a.at), parseEventTime(b.at)]
  return at === null || bt === null ? Number(at !== null) - Number(bt !== null) : compareEventTimes(at, bt)
}

const lateBy = (later: Position, earlier: Position): number =>
  (parseEventTime(later.at)?.ms ?? 0) - (parseEventTime(earlier.at)?.ms ?? 0)

/** The own position that counts: of the tracker that was pressed, unless another is much newer. */
const ownOf = ({ own, ofDevice }: NewestPositions): Position | null =>
  own !== null && ofDevice !== null && lateBy(own, ofDevice) <= OWN_COUNTS_MS ? ofDevice : own

/** The one through another user, while it is newer than every own one. */
const newerOther = ({ own, other }: NewestPositions): Position | null =>
  other !== null && (own === null || byTime(other, own) > 0) ? other : null

/**
 * One through another user counts only if no own source has a position within 15 min before it. rules.md#positions.
 */
function lastPositionOf(newest: NewestPositions): Position | null {
  const { own } = newest
  const other = newerOther(newest)
  return other !== null && (own === null || lateBy(other, own) > OWN_COUNTS_MS) ? other : ownOf(newest)
}

/** What the newest positions come to. */
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

/** It may have come from another thread, or out of JSON. */
const isSame = (a: Position, b: Position | null): boolean => b !== null && a.at === b.at && a.source === b.source

/** Each of them once. */
const distinct = (places: readonly (Position | null)[]): readonly Position[] =>
  places.filter(
    (place, at): place is Position => place !== null && places.findIndex((one) => one && isSame(one, place)) === at,
  )

/**
 * The places that board, case and chat give, what stands first in front: the newest one of the tracker that was
 * pressed, from an own source; one through another user only if it came in the press itself. rules.md#positions.
 */
export function placesOf(incident: Incident, whereabouts: Whereabouts): readonly Position[] {
  const { lastPosition, newest } = whereabouts
  if (incident.drill !== undefined) return distinct([shownPosition(incident, lastPosition)])
  if (newest === undefined) return distinct([lastPosition])
  const other = newerOther(newest)
  const pressed = other !== null && other.at === incident.raisedByOthers?.at ? other : null
  return distinct([pressed, newest.ofDevice, lastPosition, newest.own, other])
}

/**
 * What contacts see of an incident's places. `all`: as the board. `relayed`: only what came through relays, because
 * only other users have raised it so far. `none`: and the owner has ended it. rules.md#relays.
 */
export function contactsSee(incident: Incident): 'all' | 'relayed' | 'none' {
  const { raisedByOthers, closing } = incident
  if (raisedByOthers === undefined) return 'all'
  if (closing?.by === 'user') return 'none'
  return wasTaken(incident) ? 'all' : 'relayed'
}

/** The places that contacts are given, what stands first in front. rules.md#relays. */
export function contactPlacesOf(incident: Incident, whereabouts: Whereabouts): readonly Position[] {
  const seen = contactsSee(incident)
  switch (seen) {
    case 'all':
      return placesOf(incident, whereabouts)
    case 'relayed': {
      const { listed = null, other = null } = whereabouts.newest ?? {}
      return distinct([listed, other]).toSorted((a, b) => byTime(b, a))
    }
    case 'none':
      return []
    default:
      return seen satisfies never
  }
}

/** The way the person went: places through another user are no part of it, unless there are no others. */
export function wayOf(trail: readonly Position[]): readonly Position[] {
  const own = trail.filter(({ source }) => isOwnSource(source))
  return own.length > 0 ? own : trail
}

/** The part of a trail that contacts are shown. */
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
