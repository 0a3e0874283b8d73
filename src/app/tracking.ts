import { displayName } from '../core/account/profile.ts'
import { isAwaited } from '../core/incident/escalation.ts'
import { type Incident, type IncidentContact, type IncidentStatus, isOpen } from '../core/incident/incident.ts'
import type { Position } from '../core/ingest/position.ts'
import type { ClosingFacts } from '../core/text/closing-text.ts'
import { firstName } from '../core/text/person-name.ts'
import { DAY } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountStore, ApplicationStore, IncidentStore } from '../ports/store.ts'
import type { IncidentDoor } from './incident-door.ts'
import { closingOf } from './sending/compose.ts'

/** How long a tracking page outlives its incident. rules.md#tracking-links. */
const LINK_LIFE_MS = DAY

/** A closing time far in the future was recorded by a wrong clock; that link has expired too. */
const isLong = (ms: number): boolean => ms >= LINK_LIFE_MS || ms <= -LINK_LIFE_MS

/** What a contact sees. Times are epoch milliseconds. */
export type TrackingPage = {
  readonly who: string
  /** The person's phone number, E.164. */
  readonly phone: string | null
  /** IANA: the zone in which times are shown. */
  readonly timeZone: string
  readonly contact: Pick<IncidentContact, 'name' | 'language' | 'acknowledgedAt'>
  readonly status: IncidentStatus
  readonly occurredAt: number
  readonly openedAt: number
  readonly acknowledgedAt: number | null
  readonly closedAt: number | null
  /** For a re-alarm: when the person pressed again. */
  readonly again: { readonly pressedAt: number } | null
  /** The other contacts who have answered, by first name, earliest first. */
  readonly confirmations: readonly { readonly name: string; readonly at: number }[]
  /** The helper is being asked whether they are still with the person; the button answers that. */
  readonly isAskedAgain: boolean
  /** How it ended; null while it is open. */
  readonly closing: ClosingFacts | null
  readonly lastPosition: Position | null
  /** Nobody has answered since the last alarm, even if someone did before. */
  readonly isAwaited: boolean
  /** Whether pressing the button would change anything. */
  readonly canAcknowledge: boolean
}

/** Everyone else who has answered. */
const confirmationsOf = ({ contacts }: Incident, exceptId: string): TrackingPage['confirmations'] =>
  contacts
    .flatMap(({ contactId, name, acknowledgedAt }) =>
      acknowledgedAt === null || contactId === exceptId ? [] : [{ name: firstName(name), at: acknowledgedAt }],
    )
    .toSorted((a, b) => a.at - b.at)

/**
 * The public tracking link. Reading never changes anything; acknowledging is a separate step. rules.md#tracking-links.
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
  /** Whether the date can be believed. No link expires while it cannot. rules.md#clock. */
  readonly isDateBelieved: () => boolean
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
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
        timeZone: application?.timeZone ?? machineTimeZone(),
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

    /** Handles the button. Acknowledging a closed incident changes nothing. */
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
