import { type EventTime, eventTimeAt } from './event-time.ts'
import type { Payload } from './payload.ts'

/**
 * The sender of a position: the owner's own session, the owner's tracker (through a network server or with its own
 * token), a listed relay, or another user's session. All but `other` are own sources. rules.md#positions.
 */
export const positionSources = ['session', 'device', 'relay', 'other'] as const
export type PositionSource = (typeof positionSources)[number]

export type Position = {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number | null
  /** How far off it may be, in metres; absent if unknown. */
  readonly accuracy?: number
  /** Event time as sent. */
  readonly at: string
  /** Absent: from an earlier version, which counts as the owner's own. */
  readonly source?: PositionSource
  /** It stood in a text, whose sender may be forged. Of places that are shown. */
  readonly bySms?: true
}

/** The position in a payload, or null without a GPS fix. `at`: its event time as text. */
export function positionOf(payload: Payload, at: EventTime): Position | null {
  if (payload.latitude === undefined || payload.longitude === undefined) return null
  const { latitude, longitude, altitude = null, accuracy } = payload
  return { latitude, longitude, altitude, ...(accuracy !== undefined && { accuracy }), at: at.text }
}

/**
 * The source of a payload. `byDevice`: the tracker sent it itself, through a network server or with its own token.
 * `isListed`: the reporter is a listed relay. rules.md#positions.
 */
export function sourceOf({
  ownerId,
  reporterId,
  byDevice,
  isListed,
}: {
  readonly ownerId: string
  readonly reporterId: string
  readonly byDevice: boolean
  readonly isListed: boolean
}): PositionSource {
  if (reporterId !== ownerId) return isListed ? 'relay' : 'other'
  return byDevice ? 'device' : 'session'
}

/** Whether it is from one of the owner's own sources. */
export const isOwnSource = (source: PositionSource | null | undefined): boolean => source !== 'other'

/**
 * The event time for the trail. A relay whose clock is fast must not hide where the owner is, so it is capped at the
 * arrival.
 */
export const trailTimeOf = (
  at: EventTime,
  { receivedAt, isRelayed }: { readonly receivedAt: number; readonly isRelayed: boolean },
): EventTime => (isRelayed && at.ms > receivedAt ? eventTimeAt(receivedAt) : at)
