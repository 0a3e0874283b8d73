import { isAwaited } from '../core/escalation.ts'
import { DAY } from '../core/event-time.ts'
import type { IncidentStatus } from '../core/incident.ts'
import { type IncidentContact, isOpen } from '../core/incident.ts'
import type { Position } from '../core/payload.ts'
import { displayName } from '../core/profile.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountStore, IncidentStore } from '../ports/store.ts'
import type { IncidentDoor } from './incident-door.ts'

/** How long a tracking page outlives its incident. Decisions 4. */
const LINK_LIFE_MS = DAY

/** What seems to have been closed long from now was closed under a wrong clock, and is over. */
const isLong = (ms: number): boolean => ms >= LINK_LIFE_MS || ms <= -LINK_LIFE_MS

/** What a contact gets to see. Times are epoch milliseconds. */
export type TrackingPage = {
  readonly who: string
  readonly contact: Pick<IncidentContact, 'name' | 'language' | 'acknowledgedAt'>
  readonly status: IncidentStatus
  readonly occurredAt: number
  readonly openedAt: number
  readonly acknowledgedAt: number | null
  readonly closedAt: number | null
  readonly lastPosition: Position | null
  /** Pressing the button would change something. */
  readonly canAcknowledge: boolean
}

/** The public tracking link: reading never changes anything, acknowledging is a step of its own. Decisions 4. */
export const tracking = ({
  store,
  door,
  clock,
  isDateBelieved,
}: {
  readonly store: IncidentStore & AccountStore
  readonly door: IncidentDoor
  readonly clock: Clock
  /** Whether the date can be believed; while it cannot, no link ends by it. Decisions 8. */
  readonly isDateBelieved: () => boolean
}) => {
  const find = async (token: string) => {
    const link = await store.trackingLink(token)
    if (link === null) return { refused: 'unknown_link' } as const
    const { closedAt } = link.incident.state
    if (closedAt !== null && isDateBelieved() && isLong(clock.now() - closedAt))
      return { refused: 'link_expired' } as const
    return link
  }
  return {
    async page(token: string): Promise<TrackingPage | { readonly refused: 'unknown_link' | 'link_expired' }> {
      const link = await find(token)
      if ('refused' in link) return link
      const { incident, contactId, lastPosition } = link
      const user = await store.user(incident.userId)
      const contact = incident.contacts.find((known) => known.contactId === contactId)
      if (contact === undefined) return { refused: 'unknown_link' }
      return {
        who: user === null ? incident.externalUserId : displayName(user),
        contact,
        status: incident.state.status,
        occurredAt: incident.occurredAt.ms,
        openedAt: incident.openedAt,
        acknowledgedAt: incident.state.acknowledgedAt,
        closedAt: incident.state.closedAt,
        lastPosition,
        canAcknowledge: isOpen(incident) && (contact.acknowledgedAt === null || isAwaited(incident)),
      }
    },

    /** The button, or a keypress in the call. Acknowledging a closed incident changes nothing. */
    async acknowledge(
      token: string,
    ): Promise<{ readonly done: true } | { readonly refused: 'unknown_link' | 'link_expired' }> {
      const link = await find(token)
      if ('refused' in link) return link
      const { incident, contactId } = link
      await door.change({ incidentId: incident.id }, { type: 'acknowledge', now: clock.now(), contactId })
      return { done: true }
    },
  }
}
