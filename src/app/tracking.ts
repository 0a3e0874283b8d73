import { displayName } from '../core/account/profile.ts'
import { isAwaited } from '../core/incident/escalation.ts'
import { type Incident, type IncidentContact, type IncidentStatus, isOpen } from '../core/incident/incident.ts'
import { DAY } from '../core/ingest/event-time.ts'
import type { Position } from '../core/ingest/payload.ts'
import type { Closing } from '../core/text/closing-text.ts'
import { firstName } from '../core/text/person-name.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountStore, ApplicationStore, IncidentStore } from '../ports/store.ts'
import type { IncidentDoor } from './incident-door.ts'
import { closingOf } from './sending/compose.ts'

/** How long a tracking page outlives its incident. rules.md#tracking-links. */
const LINK_LIFE_MS = DAY

/** What seems to have been closed long from now was closed under a wrong clock, and is over. */
const isLong = (ms: number): boolean => ms >= LINK_LIFE_MS || ms <= -LINK_LIFE_MS

/** What a contact gets to see. Times are epoch milliseconds. */
export type TrackingPage = {
  readonly who: string
  /** Where the person can be called, E.164. */
  readonly phone: string | null
  /** IANA: times are told as they are there. */
  readonly timeZone: string
  readonly contact: Pick<IncidentContact, 'name' | 'language' | 'acknowledgedAt'>
  readonly status: IncidentStatus
  readonly occurredAt: number
  readonly openedAt: number
  readonly acknowledgedAt: number | null
  readonly closedAt: number | null
  /** A re-alarm: when the person pressed again. */
  readonly again: { readonly pressedAt: number } | null
  /** The other contacts who have answered, by first name, the earliest first. */
  readonly confirmations: readonly { readonly name: string; readonly at: number }[]
  /** Whoever answered is asked whether they are still with the person: the button answers that. */
  readonly isAskedAgain: boolean
  /** How it ended; null while it is open. */
  readonly closing: Closing | null
  readonly lastPosition: Position | null
  /** Nobody has answered since the last alarm, whoever did before. */
  readonly isAwaited: boolean
  /** Pressing the button would change something. */
  readonly canAcknowledge: boolean
}

/** Who else has answered. */
const confirmationsOf = ({ contacts }: Incident, exceptId: string): TrackingPage['confirmations'] =>
  contacts
    .flatMap(({ contactId, name, acknowledgedAt }) =>
      acknowledgedAt === null || contactId === exceptId ? [] : [{ name: firstName(name), at: acknowledgedAt }],
    )
    .toSorted((a, b) => a.at - b.at)

/**
 * The public tracking link: reading never changes anything, acknowledging is a step of its own.
 * rules.md#tracking-links.
 */
export const tracking = ({
  store,
  door,
  clock,
  isDateBelieved,
  machineTimeZone,
}: {
  readonly store: Pick<IncidentStore, 'trackingLink'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'>
  readonly door: IncidentDoor
  readonly clock: Clock
  /** Whether the date can be believed; while it cannot, no link ends by it. rules.md#clock. */
  readonly isDateBelieved: () => boolean
  /** IANA: for applications without a time zone of their own. */
  readonly machineTimeZone: string
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
      const [user, application] = await Promise.all([store.user(incident.userId), store.application(incident.appId)])
      const contact = incident.contacts.find((known) => known.contactId === contactId)
      if (contact === undefined) return { refused: 'unknown_link' }
      const isAsked = contact.acknowledgedAt !== null && incident.watch?.asked === true
      return {
        who: user === null ? incident.externalUserId : displayName(user),
        phone: user?.phone ?? null,
        timeZone: application?.timeZone ?? machineTimeZone,
        contact,
        status: incident.state.status,
        occurredAt: incident.occurredAt.ms,
        openedAt: incident.openedAt,
        acknowledgedAt: incident.state.acknowledgedAt,
        closedAt: incident.state.closedAt,
        again: incident.cascade.cause.again,
        confirmations: confirmationsOf(incident, contactId),
        isAskedAgain: isAsked,
        closing: closingOf(incident),
        lastPosition,
        isAwaited: isAwaited(incident),
        canAcknowledge: isOpen(incident) && (contact.acknowledgedAt === null || isAwaited(incident) || isAsked),
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
