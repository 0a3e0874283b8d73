import { type EventTime, eventTimeAt } from './event-time.ts'
import type { Payload } from './payload.ts'

export type Position = {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number | null
  /** How far off it may be, in metres; absent if unknown. */
  readonly accuracy?: number
  /** Event time as sent. */
  readonly at: string
}

/** The position in a payload, or null without a GPS fix. `at`: its event time as text. */
export function positionOf(payload: Payload, at: EventTime): Position | null {
  if (payload.latitude === undefined || payload.longitude === undefined) return null
  const { latitude, longitude, altitude = null, accuracy } = payload
  return { latitude, longitude, altitude, ...(accuracy !== undefined && { accuracy }), at: at.text }
}

/** A relay whose clock runs ahead must not hide where the owner is, so its time is capped at the arrival. */
export const trailTimeOf = (
  at: EventTime,
  { receivedAt, isRelayed }: { readonly receivedAt: number; readonly isRelayed: boolean },
): EventTime => (isRelayed && at.ms > receivedAt ? eventTimeAt(receivedAt) : at)
