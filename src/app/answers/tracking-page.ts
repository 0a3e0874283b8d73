import type { Card } from '../../core/account/card.ts'
import { displayName } from '../../core/account/profile.ts'
import { type Batteries, batteriesOf } from '../../core/incident/battery.ts'
import { mayShow } from '../../core/incident/contact-changes.ts'
import { isAwaited } from '../../core/incident/escalation.ts'
import {
  type HelpPromise,
  type Incident,
  type IncidentContact,
  type IncidentStatus,
  isOpen,
  type Overdue,
} from '../../core/incident/incident.ts'
import { contactPlacesOf } from '../../core/incident/places.ts'
import { awaitsPosition, isRemoved, positionAccess } from '../../core/incident/position-access.ts'
import { isHelped, isUnable } from '../../core/incident/rounds.ts'
import { isHelper } from '../../core/incident/talk.ts'
import { parseEventTime } from '../../core/ingest/event-time.ts'
import type { Position } from '../../core/ingest/position.ts'
import type { ClosingFacts } from '../../core/message/closing-text.ts'
import { firstName } from '../../core/text/person-name.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AccountStore, ApplicationStore, ContactStore, TelemetryStore } from '../../ports/store.ts'
import { closingOf } from '../sending/compose.ts'
import { newestBatteries } from '../sending/newest-batteries.ts'
import type { Cards } from '../user/cards.ts'
import { contactCard } from './contact-card.ts'
import type { ContactTalk, contactTalk as talkOf } from './contact-talk.ts'
import { shownHelpers } from './shown-helpers.ts'
import type { TrackingLink } from './tracking-link.ts'

/** A contact's answer: that they help, how, or that they can't. rules.md#responses. */
export type TrackingAnswer = (HelpPromise | { readonly kind: 'helping' | 'unable' }) & { readonly at: number }

/** The content of a contact's page. Times are epoch milliseconds. */
export type TrackingPage = {
  readonly incidentId: string
  /** Whether it is a drill, with a made-up position. preparing.md#drills. */
  readonly isDrill: boolean
  /** Nobody may call the person. rules.md#silent-emergency. */
  readonly isSilent: boolean
  /** Devices that its alerts named and nobody has paired. devices.md#unknown-devices. */
  readonly unknownDevices: readonly string[]
  readonly who: string
  /** The person's phone number, E.164. Null in a silent emergency. */
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
  readonly again: { readonly pressedAt: number; readonly overdue?: Overdue } | null
  /** The timer that opened it, if nobody pressed. */
  readonly overdue: Overdue | null
  /**
   * The other contacts who help, by first name, earliest first. If this contact may not see them: the first, without a
   * name.
   */
  readonly confirmations: readonly ({ readonly name: string } & TrackingAnswer)[]
  /** The other contacts who can't help with this alarm, by first name. */
  readonly unable: readonly { readonly name: string; readonly at: number }[]
  /** This contact's answer to this alarm. */
  readonly answer: TrackingAnswer | null
  /** The helper is being asked whether they are still with the person; the button answers that. */
  readonly isAskedAgain: boolean
  /** How it ended; null while it is open. */
  readonly closing: ClosingFacts | null
  /** The part of the person's card that this helper may see; null for most. rules.md#card. */
  readonly card: Card | null
  /** The position shown first. */
  readonly lastPosition: Position | null
  /** Other positions that may be right as well, with their sources. rules.md#positions. */
  readonly otherPlaces: readonly Position[]
  /** The tracker through which another user raised it, if nobody else did; else null. rules.md#relays. */
  readonly raisedThrough: string | null
  /** The application's map, with `{lat}` and `{lon}`; null: the built-in one. */
  readonly mapLink: string | null
  /** The countries in which the position may be, the most likely first: ISO 3166-1 alpha-2. Empty if unknown. */
  readonly countries: readonly string[]
  /** The operator's own emergency numbers, by country. */
  readonly emergencyNumbers: Readonly<Record<string, string>>
  /** The newest levels. rules.md#batteries. */
  readonly battery: Batteries
  /** The network types that phone and tracker reported with those levels, if known. */
  readonly network: { readonly phone: string | null; readonly tracker: string | null }
  /** Whether anyone who answered the current alarm has not withdrawn. */
  readonly isHelped: boolean
  /** Nobody has answered since the last alarm, even if someone did before. */
  readonly isAwaited: boolean
  /** Whether pressing the button would change anything. */
  readonly canAcknowledge: boolean
  /**
   * The contact wants no more messages, or does not know the person and is then shown nothing. sms.md#wrong-number.
   */
  readonly stopped: 'stop' | 'stranger' | null
  /** Whether this contact may not see the position, if there is one. rules.md#position-access. */
  readonly isPlaceWithheld: boolean
  /** The user's own session changed the contacts during the alarm. */
  readonly contactsChanged: boolean
  /** The person's name before their own session changed name, number or devices during the alarm. Null: it did not. */
  readonly accountChangedOf: string | null
  /** The talk with the person. Null: this contact does not read it. rules.md#talk. */
  readonly talk: ContactTalk | null
  /** Contacts who joined, to whom this contact may show the position. Names as stored. */
  readonly toBeShown: readonly { readonly contactId: string; readonly name: string }[]
}

/** The contact's answer to the current alarm; null if there is none. */
function answerOf(contact: IncidentContact, incident: Incident): TrackingAnswer | null {
  const { acknowledgedAt, response } = contact
  if (response !== undefined && isUnable(contact, incident)) return { kind: 'unable', at: response.at }
  if (acknowledgedAt === null) return null
  if (response === undefined || response.kind === 'unable') return { kind: 'helping', at: acknowledgedAt }
  const { round: _, ...promise } = response
  return promise
}

/**
 * Whether contacts may still have to find the person. Once someone else has ended the alarm, the position is no longer
 * needed. An end from the person's own phone may be coerced or an accident, so the page keeps what it showed last.
 * rules.md#tracking-links.
 */
const isStillSought = (incident: Incident): boolean =>
  isOpen(incident) || incident.closing?.by === 'system' || incident.closing?.by === 'user'

/** The contacts' answers by first name, earliest first. */
const answersOf = (incident: Incident, exceptId: string) =>
  incident.contacts
    .flatMap((contact) => {
      const answer = contact.contactId === exceptId ? null : answerOf(contact, incident)
      return answer === null ? [] : [{ name: firstName(contact.name), ...answer }]
    })
    .toSorted((a, b) => a.at - b.at)

/** The page of an ended alarm, without a reason and without anything that came later. rules.md#position-access. */
const asOver = (page: TrackingPage, { removedAt }: IncidentContact): TrackingPage => ({
  ...page,
  card: null,
  phone: null,
  status: 'resolved',
  closedAt: removedAt ?? page.closedAt ?? page.openedAt,
  acknowledgedAt: null,
  again: null,
  confirmations: [],
  unable: [],
  answer: null,
  isAskedAgain: false,
  closing: { status: 'resolved', by: null, name: null, hours: null },
  battery: { phone: null, tracker: null },
  network: { phone: null, tracker: null },
  isHelped: false,
  isAwaited: false,
  canAcknowledge: false,
  contactsChanged: false,
  accountChangedOf: null,
  talk: null,
})

const toBeShown = (incident: Incident): TrackingPage['toBeShown'] =>
  incident.contacts
    .filter((contact) => awaitsPosition(incident, contact) && !isRemoved(contact))
    .map(({ contactId, name }) => ({ contactId, name }))

/** The page for somebody who does not know the person: nothing about the person. */
const asStranger = (page: TrackingPage): TrackingPage => ({
  ...page,
  card: null,
  who: '',
  phone: null,
  overdue: null,
  again: null,
  confirmations: [],
  unable: [],
  talk: null,
  canAcknowledge: false,
  closing: page.closing && { status: 'resolved', by: null, name: null, hours: null },
})

/** The page for the contact of a link. Null: the incident has no such contact. */
export const trackingPage = ({
  store,
  cards,
  clock,
  machineTimeZone,
  countriesAt,
  emergencyNumbers,
  contactTalk,
}: {
  readonly store: Pick<AccountStore, 'user'> &
    Pick<ContactStore, 'contacts'> &
    Pick<ApplicationStore, 'application'> &
    Pick<TelemetryStore, 'telemetryHistory'>
  readonly cards: Pick<Cards, 'opened'>
  readonly clock: Pick<Clock, 'now'>
  /** Loaded with the first helper. Absent: no talk. */
  readonly contactTalk?: () => Promise<Pick<ReturnType<typeof talkOf>, 'read'>>
  /** IANA; for applications without their own time zone. */
  readonly machineTimeZone: () => string
  /** The operator's own numbers, by country. */
  readonly emergencyNumbers: () => Readonly<Record<string, string>>
  /** ISO 3166-1 alpha-2, the most likely first; `isWide`: neighbouring countries as well. */
  readonly countriesAt: (place: Position, isWide: boolean) => Promise<readonly string[]>
}) => {
  /** In an hour people cross borders. The page must not fail because the country is unknown. */
  const countriesOf = async (position: Position): Promise<readonly string[]> => {
    const at = parseEventTime(position.at)?.ms ?? Number.NEGATIVE_INFINITY
    return countriesAt(position, clock.now() - at > HOUR).catch(() => [])
  }

  return async (link: TrackingLink): Promise<TrackingPage | null> => {
    const { incident, contactId } = link
    const isDrill = incident.drill !== undefined
    const [lastPosition = null, ...otherPlaces] = contactPlacesOf(incident, link)
    const [user, application] = await Promise.all([store.user(incident.userId), store.application(incident.appId)])
    const contact = incident.contacts.find((known) => known.contactId === contactId)
    if (contact === undefined) return null
    const isAsked = contact.acknowledgedAt !== null && incident.watch?.asked === true && !incident.watch.withdrawn
    const helpers = await shownHelpers(store, incident, contact, answersOf(incident, contactId))
    const { mobileCoverage, deviceCoverage } = incident.creation.payload
    const access = positionAccess(incident, contact)
    const isLocated = isStillSought(incident) && access === 'shown'
    const page: TrackingPage = {
      incidentId: incident.id,
      isDrill,
      isSilent: incident.silent === true,
      unknownDevices: incident.unknownDevices ?? [],
      who: user === null ? incident.externalUserId : displayName(user),
      phone: incident.silent ? null : (user?.phone ?? null),
      timeZone: application?.timeZone ?? machineTimeZone(),
      contact,
      status: incident.state.status,
      occurredAt: incident.occurredAt.ms,
      openedAt: incident.openedAt,
      acknowledgedAt: incident.state.acknowledgedAt,
      closedAt: incident.state.closedAt,
      again: incident.cascade.cause.again,
      overdue: incident.overdue ?? null,
      ...helpers,
      answer: answerOf(contact, incident),
      isAskedAgain: isAsked,
      closing: closingOf(incident),
      card: await contactCard({ store, cards }, incident, contact),
      lastPosition: isLocated ? lastPosition : null,
      otherPlaces: isLocated ? otherPlaces : [],
      raisedThrough: incident.raisedByOthers?.deviceId ?? null,
      mapLink: application?.mapLink ?? null,
      countries: isLocated && !isDrill && lastPosition !== null ? await countriesOf(lastPosition) : [],
      emergencyNumbers: emergencyNumbers(),
      battery: isLocated ? await newestBatteries(store, incident) : batteriesOf(incident),
      network: { phone: mobileCoverage?.networkType ?? null, tracker: deviceCoverage?.networkType ?? null },
      isHelped: isHelped(incident),
      isAwaited: isAwaited(incident),
      canAcknowledge: isOpen(incident) && (contact.acknowledgedAt === null || isAwaited(incident) || isAsked),
      stopped: contact.stopped?.how ?? null,
      isPlaceWithheld: access === 'withheld',
      contactsChanged: incident.contactsChangedAt !== undefined && mayShow(incident, contact),
      accountChangedOf: mayShow(incident, contact) ? (incident.accountChanged?.who ?? null) : null,
      talk: isOpen(incident) && isHelper(contact) ? ((await (await contactTalk?.())?.read(link)) ?? null) : null,
      toBeShown: mayShow(incident, contact) && isOpen(incident) ? toBeShown(incident) : [],
    }
    if (contact.stopped?.how === 'stranger') return asStranger(page)
    return access === 'over' ? asOver(page, contact) : page
  }
}
