/** The state of an incident as a client was last told. rules.md#state-on-subscribe. */
export type ToldState = {
  readonly incidentId: string
  readonly status: string
  readonly updatedAt: string
  readonly snapshotVersion: number
}

/** How an event relates to a told state: already included in it, newer than it, or about something else. */
export type ToldRelation = 'known' | 'newer' | 'other'

/** Reads the state that a client is being told, as JSON. Null: not a state of an incident. */
export function toldState(payload: string): ToldState | null {
  const { incidentId, status, updatedAt, snapshotVersion } = read(payload)
  return typeof incidentId === 'string' &&
    typeof status === 'string' &&
    typeof updatedAt === 'string' &&
    typeof snapshotVersion === 'number'
    ? { incidentId, status, updatedAt, snapshotVersion }
    : null
}

/**
 * Compares an event, as JSON, with a state told before it. Events with a snapshot have its version; the others are
 * known if they are older than the state, or of the same moment with the same status.
 */
export function relationTo(told: ToldState, payload: string): ToldRelation {
  const event = read(payload)
  if (event.incidentId !== told.incidentId) return 'other'
  if (typeof event.snapshotVersion === 'number') {
    return event.snapshotVersion <= told.snapshotVersion ? 'known' : 'newer'
  }
  if (typeof event.updatedAt !== 'string') return 'other'
  // In ISO 8601 UTC, text order is time order.
  if (event.updatedAt !== told.updatedAt) return event.updatedAt < told.updatedAt ? 'known' : 'newer'
  return event.status === told.status ? 'known' : 'newer'
}

/** Whether this event, as JSON, opened the incident of this state: it and later events then include the state. */
export function opens({ incidentId }: ToldState, payload: string): boolean {
  const event = read(payload)
  return event.type === 'processed' && event.incidentId === incidentId
}

function read(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
