import { DRILL_MS } from '../../core/incident/drill.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { type PositionAccess, positionAccess } from '../../core/incident/position-access.ts'
import { DAY } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IncidentRecord, IncidentStore } from '../../ports/store.ts'

/** How long a tracking page outlives its incident. rules.md#tracking-links. */
const LINK_LIFE_MS = DAY

/** An incident, with the contact who has the link. */
export type TrackingLink = IncidentRecord & { readonly contactId: string }
export type NoLink = { readonly refused: 'unknown_link' | 'link_expired' }

/** Finds the incident behind a link. */
export const linkFinder =
  ({
    store,
    clock,
    isDateBelieved,
  }: {
    readonly store: Pick<IncidentStore, 'trackingLink'>
    readonly clock: Pick<Clock, 'now'>
    /** Whether the date can be trusted. No link expires while it cannot. keeping.md#clock. */
    readonly isDateBelieved: () => boolean
  }) =>
  async (token: string): Promise<TrackingLink | NoLink> => {
    const link = await store.trackingLink(token)
    if (link === null) return { refused: 'unknown_link' }
    if (isDateBelieved() && isPast(link.incident, clock.now())) return { refused: 'link_expired' }
    return link
  }

/** A drill's links last no longer than a drill may. */
function isPast({ state: { closedAt }, openedAt, drill }: Incident, now: number): boolean {
  if (closedAt === null) return false
  return drill === undefined ? isLong(now - closedAt) : Math.abs(now - openedAt) >= DRILL_MS
}

/** A closing time far in the future was recorded by a wrong clock; that link has expired too. */
const isLong = (ms: number): boolean => ms >= LINK_LIFE_MS || ms <= -LINK_LIFE_MS

/** The contact's access to the position. Null: the incident has no such contact. */
export function accessOf({ incident, contactId }: TrackingLink): PositionAccess | null {
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  return contact === undefined ? null : positionAccess(incident, contact)
}
