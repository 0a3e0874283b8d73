import { HOUR } from '../ingest/event-time.ts'
import type { Channel } from './delivery.ts'
import { isWaiting } from './delivery.ts'
import { type Draft, joinCascade, withPlanned } from './escalation.ts'
import {
  type AlarmCause,
  contactActuatorOf,
  type Incident,
  type IncidentContact,
  integrationsOf,
  isOpen,
  type Press,
  type RealarmTrack,
  type Site,
} from './incident.ts'
import { beginRound, toldContacts } from './rounds.ts'
import { msOf } from './settings.ts'

/** Whose presses a track is of. */
export type Presser = keyof Incident['realarms']
const PRESSERS = ['owner', 'relay'] as const satisfies readonly Presser[]

/**
 * However often there was a re-alarm, the next one is never further away than this (or than `realarmSeconds`,
 * where that is longer).
 */
const MAX_DISTANCE_MS = HOUR
/** Beyond this the distance is at its longest, whatever it began with. */
const MAX_DOUBLINGS = 32
/** Contacts of an incident, with those who are told no more. */
const MAX_GONE = 10

/**
 * Whether a press may alarm again: nobody is being told of this incident, or somebody has answered
 * it. rules.md#re-alarm.
 */
export const isQuiet = ({ state, cascade }: Incident): boolean =>
  state.status === 'acknowledged' || cascade.phase.name !== 'running'

/**
 * How far a press has to be from the last alarm: it doubles with each re-alarm once somebody has
 * acknowledged. rules.md#re-alarm.
 */
function distanceMs({ settings, state }: Incident, { realarms }: RealarmTrack): number {
  const base = msOf(settings.realarmSeconds)
  if (state.acknowledgedAt === null) return base
  return Math.min(Math.max(base, MAX_DISTANCE_MS), base * 2 ** Math.min(realarms, MAX_DOUBLINGS))
}

/**
 * When the press that is kept alarms again (epoch ms): at once, where the distance has passed. Null where none is
 * kept or it has to wait.
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

/** Keeps a further press until it may alarm; the newest one of its kind counts. */
export const withKept = (incident: Incident, presser: Presser, kept: Press): Incident => ({
  ...incident,
  realarms: { ...incident.realarms, [presser]: { ...incident.realarms[presser], kept } },
})

/** Alarms again with a press whose time has come, and the contacts of now; the owner's goes first. */
export function withRealarm(incident: Incident, site: Site, now: number): Incident {
  const presser = PRESSERS.find((candidate) => (momentOf(incident, candidate) ?? Number.POSITIVE_INFINITY) <= now)
  if (presser === undefined || !isOpen(incident) || !isQuiet(incident)) return incident
  const track = incident.realarms[presser]
  const isAnswered = incident.state.acknowledgedAt !== null
  const taken = { ...track, realarms: track.realarms + (isAnswered ? 1 : 0), kept: null }
  const { relay } = incident.realarms
  // What a relay sent meanwhile is told along with the owner's press, and not the other way round.
  const others = presser === 'owner' ? { relay: { ...relay, kept: null } } : {}
  const counted: Incident = { ...incident, realarms: { ...incident.realarms, ...others, [presser]: taken } }
  const cause: AlarmCause = { by: presser, again: track.kept }
  return alarmedAgain(counted, site, { cause, atOnce: isAnswered, now })
}

type Again = { readonly cause: AlarmCause; readonly atOnce: boolean; readonly now: number }

/**
 * A new alarm of an open incident: the contacts as they are now, as many rounds as at first, chat and webhook told.
 * `only`: those contacts in the first of these rounds.
 */
export function alarmedAgain(
  incident: Incident,
  site: Site,
  { cause, atOnce, now, only }: Again & { readonly only?: (contact: IncidentContact) => boolean },
): Incident {
  const current: Incident = {
    ...incident,
    contactActuator: contactActuatorOf(site),
    integrations: integrationsOf(site),
    contacts: contactsOfNow(incident, site),
    watch: null,
  }
  const round = { cause, atOnce, now, roundsLeft: incident.settings.rounds - 1, pauses: 0 }
  // Where none of them is left, everybody is told.
  const isFor = only !== undefined && toldContacts(current).some(only)
  return withNews(beginRound(current, isFor ? { ...round, only } : round), 'reopened', now)
}

/**
 * The contacts of now, and behind them those who were removed: their links stay valid. Entries are in priority order.
 */
function contactsOfNow(incident: Incident, site: Site): readonly IncidentContact[] {
  const known = new Map(incident.contacts.map((contact) => [contact.contactId, contact]))
  const current = site.contacts.map((contact) => ({
    ...joinCascade(contact, incident.linkSecret),
    acknowledgedAt: known.get(contact.contactId)?.acknowledgedAt ?? null,
  }))
  const last = current.reduce((highest, { priority }) => Math.max(highest, priority), 0)
  const gone = incident.contacts
    .filter((old) => !current.some(({ contactId }) => contactId === old.contactId))
    .slice(-MAX_GONE)
    .map((old, place) => ({ ...old, priority: last + place + 1, gone: true as const }))
  return [...current, ...gone]
}

/**
 * Tells chat and webhook what happened. One post of a kind that has not left yet is enough: it says how things are when
 * it leaves. These posts are no part of the snapshot. rules.md#webhooks.
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
      // Never before the first word of it, nor within the grace window.
      return { purpose, actuator: channel, channel, contactId: null, round, dueAt: Math.max(now, startedAt) }
    })
  return drafts.length === 0 ? incident : withPlanned(incident, drafts, now)
}
