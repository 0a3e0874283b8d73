import type { NewestPositions } from '../../../core/incident/places.ts'
import type { Position, PositionSource } from '../../../core/ingest/position.ts'
import { SHOWN_POSITIONS } from './limits.ts'

/** A position as stored in a trail: null where nothing was sent. `source`: null from an earlier version. */
export type PositionRow = Omit<Position, 'accuracy' | 'source'> & {
  readonly accuracy: number | null
  readonly source: PositionSource | null
}

/** `NewestPositions` of the core, as rows. */
export type NewestRows = { readonly [kind in keyof NewestPositions]: PositionRow | null }

export const newestOfRows = ({ own, ofDevice, listed, other }: NewestRows): NewestPositions => ({
  own: own && positionOfRow(own),
  ofDevice: ofDevice && positionOfRow(ofDevice),
  listed: listed && positionOfRow(listed),
  other: other && positionOfRow(other),
})

/** A row with its event time, which orders trails. */
export type TimedRow = PositionRow & { readonly ms: number; readonly nanos: number }

/**
 * A trail as it is shown, oldest first. `own` and `others`: newest first, at most so many as are shown. Those of other
 * users give way: nobody can push out the owner's own.
 */
export function shownTrail(own: readonly TimedRow[], others: readonly TimedRow[]): readonly Position[] {
  const shown = [...own, ...others.slice(0, Math.max(0, SHOWN_POSITIONS - own.length))]
  if (others.length > 0) shown.sort((a, b) => b.ms - a.ms || b.nanos - a.nanos)
  return shown.reverse().map(positionOfRow)
}

const positionOfRow = ({ latitude, longitude, altitude, accuracy, at, source }: PositionRow): Position => ({
  latitude,
  longitude,
  altitude,
  ...(accuracy !== null && { accuracy }),
  at,
  ...(source !== null && { source }),
})
