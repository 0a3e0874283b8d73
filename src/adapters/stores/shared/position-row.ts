import type { Position } from '../../../core/ingest/position.ts'

/** A position as it stands in a trail: null where nothing was sent. */
export type PositionRow = Omit<Position, 'accuracy'> & { readonly accuracy: number | null }

export const positionOfRow = ({ latitude, longitude, altitude, accuracy, at }: PositionRow): Position => ({
  latitude,
  longitude,
  altitude,
  ...(accuracy !== null && { accuracy }),
  at,
})
