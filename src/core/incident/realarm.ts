import { HOUR } from '../../lib/durations.ts'
import { isFallback } from '../account/fallback-contact.ts'
import { msOf, type Settings } from '../account/settings.ts'
import { type AlarmPlan, contactActuatorOf, integrationsOf, type PlannedContact } from './alarm-plan.ts'
import { entriesOf } from './contact-changes.ts'
import type { Channel } from './delivery.ts'
import { isWaiting } from './delivery.ts'
import { type Draft, joinCascade, withPlanned } from './escalation.ts'
import {
  type AlarmCause,
  type Incident,
  type IncidentContact,
  isOpen,
  type Press,
  type RealarmTrack,
} from './incident.ts'
import { awaitingOnCall, isDisabledOnCall } from './on-call.ts'
import { isOfOpening, strangerMark } from './position-access.ts'
import { beginRound, toldContacts } from './rounds.ts'

/** The presses that a track counts: the owner's or relayed ones. */
export type Presser = keyof Incident['realarms']
const PRESSERS = ['owner', 'relay'] as const satisfies readonly Presser[]

/** The longest distance to the next re-alarm, however many there were (or `realarmSeconds`, if that is longer). */
const MAX_DISTANCE_MS = HOUR
/** Beyond this many doublings any distance is at its maximum. */
const MAX_DOUBLINGS = 32
/** Removed contacts that an incident keeps, in addition to the current ones and those of the opening. */
const MAX_GONE = 10

/**
 * Whether a press may alarm again: nobody is being notified of this incident, or someone has acknowledged it.
 * rules.md#re-alarm.
 */
export const isQuiet = ({ state, cascade }: Incident): boolean =>
  state.status === 'acknowledged' || cascade.phase.name !== 'running'

/**
 * The required distance of a press from the last alarm. It doubles with each re-alarm after an acknowledgement.
 * rules.md#re-alarm.
 */
const distanceMs = ({ settings, state }: Incident, { realarms }: RealarmTrack): number =>
  doubledMs(settings, state.acknowledgedAt === null ? 0 : realarms)

/** `realarmSeconds`, doubled that often, up to the maximum. */
export function doubledMs(settings: Settings, doublings: number): number {
  const base = msOf(settings.realarmSeconds)
  return Math.min(Math.max(base, MAX_DISTANCE_MS), base * 2 ** Math.min(doublings, MAX_DOUBLINGS))
}

/**
 * The number of consecutive alarms that began because this contact, or the operator (null), withdrew as the last
 * helper.
 */
export const withdrawalsOf = (contactId: string | null, cause: AlarmCause): number =>
  cause.by === 'withdrawal' && cause.contactId === contactId ? (cause.nth ?? 1) : 0

/**
 * When the kept press alarms again (epoch ms), which may lie in the past. Null if none is kept or the current alarm is
 * still running.
 */
export function realarmAt(incident: Incident): number | null {
  if (!isOpen(incident) || !isQuiet(incident)) return null
  const moments = PRESSERS.flatMap((presser) => momentOf(incident, presser) ?? [])
  return moments.length === 0 ? null : Math.min(...moments)
}

function momentOf(incident: Incident, presser: Presser): number | null {
  const track = incident.realarms[presser]
  if (track.kept === null) return null
  return track.since === null ? track.kept.receivedAt : track.since + distanceMs(incident, track)
}

/** Keeps a further press until it may alarm. Only the newest of its kind counts. */
export const withKeptPress = (incident: Incident, presser: Presser, kept: Press): Incident => ({
  ...incident,
  realarms: { ...incident.realarms, [presser]: { ...incident.realarms[presser], kept } },
})

/** Re-alarms the current contacts for a press whose time has come; the owner's press goes first. */
export function withRealarm(incident: Incident, plan: AlarmPlan, now: number): Incident {
  const presser = PRESSERS.find((candidate) => (momentOf(incident, candidate) ?? Number.POSITIVE_INFINITY) <= now)
  if (presser === undefined || !isOpen(incident) || !isQuiet(incident)) return incident
  const track = incident.realarms[presser]
  const isAnswered = incident.state.acknowledgedAt !== null
  const taken = { ...track, realarms: track.realarms + (isAnswered ? 1 : 0), kept: null }
  const { relay } = incident.realarms
  // The owner's press also covers what a relay sent meanwhile, but not the other way round.
  const others = presser === 'owner' ? { relay: { ...relay, kept: null } } : {}
  const counted: Incident = { ...incident, realarms: { ...incident.realarms, ...others, [presser]: taken } }
  const cause: AlarmCause = { by: presser, again: track.kept }
  return alarmedAgain(counted, plan, { cause, atOnce: isAnswered, now })
}

type Again = {
  readonly cause: AlarmCause
  readonly atOnce: boolean
  readonly now: number
  /** Restricts the first of these rounds to some contacts. */
  readonly only?: (contact: IncidentContact) => boolean
  /** The contacts to alarm before the others. */
  readonly leads?: (contact: IncidentContact) => boolean
}

/** A new alarm of an open incident: the current contacts, as many rounds as at first, and news to chat and webhook. */
export function alarmedAgain(
  incident: Incident,
  plan: AlarmPlan,
  { cause, atOnce, now, only, leads }: Again,
): Incident {
  const current: Incident = {
    ...incident,
    contactActuator: contactActuatorOf(plan),
    integrations: integrationsOf(plan),
    ...(incident.contacts.length === 0 && plan.contacts.length > 0 && { openedAlone: true }),
    contacts: contactsOfNow(incident, plan),
    ...awaitingOnCall(plan, now),
    watch: null,
  }
  const roundsLeft = incident.settings.rounds - 1
  const round = { cause, atOnce, now, roundsLeft, pauses: 0, ...(leads && { leads }) }
  // If none of them is left, everyone is alarmed.
  const isFor = only !== undefined && toldContacts(current).some(only)
  return withNews(beginRound(current, isFor ? { ...round, only } : round), 'reopened', now)
}

/**
 * The current contacts, each with the numbers they were alarmed at before a correction, followed by the removed ones,
 * whose links stay valid. Entries are in priority order.
 */
function contactsOfNow(incident: Incident, plan: AlarmPlan): readonly IncidentContact[] {
  const current = [
    ...plan.contacts.flatMap((contact) => entriesOfNow(incident, contact)),
    ...incident.contacts.filter((entry) => entry.onCall && !isDisabledOnCall(entry, plan)),
  ].map((entry, index) => ({ ...entry, priority: index + 1 }))
  const last = current.length
  const removed = incident.contacts.filter((old) => !current.some(({ contactId }) => contactId === old.contactId))
  const kept = new Set([...removed.filter(isOfOpening), ...removed.filter((old) => !isOfOpening(old)).slice(-MAX_GONE)])
  const gone = removed
    .filter((old) => kept.has(old))
    .map((old, index) => ({ ...old, priority: last + index + 1, gone: true as const }))
  return [...current, ...gone]
}

/** The entries of a contact now. A number that was corrected goes on being alarmed, unless it was unreachable. */
function entriesOfNow(incident: Incident, contact: PlannedContact): readonly IncidentContact[] {
  const entries = entriesOf(incident, contact.contactId)
  const now = entries.find(({ phone }) => phone === contact.phone) ?? entries.at(-1)
  if (now === undefined) return [{ ...joinCascade(contact, incident.linkSecret), ...joinedNow(incident, contact) }]
  const isOther = now.phone !== contact.phone && !isFallback(contact)
  return entries
    .filter((entry) => entry === now || !entry.gone)
    .map((entry) => {
      if (entry !== now) return entry
      const { gone: _, isStranger: __, isConfirmed: ______, token, contactId, ...kept } = entry
      // A mail never follows a change made during the alarm. rules.md#email.
      const { isStopped: ___, isStranger: ____, email: _____, ...planned } = contact
      const mark = strangerMark(entry, contact)
      return { ...kept, ...planned, ...mark, contactId, token, ...(isOther && { joined: { by: 'session' as const } }) }
    })
}

/** How a contact new to the incident joined. Only one whom an operator added, with that number, sees everything. */
function joinedNow({ admitted = [] }: Incident, contact: PlannedContact): Pick<IncidentContact, 'joined'> {
  const isOperators =
    isFallback(contact) ||
    admitted.some(({ contactId, phone }) => contactId === contact.contactId && phone === contact.phone)
  return { joined: { by: isOperators ? 'operator' : 'session' } }
}

/**
 * Posts news to chat and webhook. One waiting post of a kind is enough, because it describes the state at the moment it
 * leaves. The snapshot does not show these posts. rules.md#webhooks.
 */
export function withNews(
  incident: Incident,
  purpose: 'reopened' | 'acknowledged' | 'unanswered',
  now: number,
): Incident {
  const isUnderWay = (channel: Channel): boolean =>
    incident.deliveries.some((row) => row.channel === channel && row.purpose === purpose && isWaiting(row))
  const drafts = incident.integrations
    .filter((channel) => !isUnderWay(channel))
    .map((channel): Draft => {
      const { round, startedAt } = incident.cascade
      // Never before the first alarm, nor within the grace window.
      return { purpose, actuator: channel, channel, contactId: null, round, dueAt: Math.max(now, startedAt) }
    })
  return drafts.length === 0 ? incident : withPlanned(incident, drafts, now)
}
