import type { Command } from './command.ts'
import type { Situation, Step } from './decision.ts'
import { type Channel, isWaiting } from './delivery.ts'
import { joinCascade, planIntegrations, withPlanned, withRound } from './escalation.ts'
import { DAY } from './event-time.ts'
import { contactActuatorOf, type EarlierAlert, type Incident, isOpen, type Site } from './incident.ts'
import { autoResolveMs, msOf } from './settings.ts'

type Raise = Extract<Command, { type: 'raise' }>

/** How long after its first receipt an alert can still be a repeat of a closed one. Decisions 3. */
const REPEAT_WINDOW_MS = DAY

/**
 * What an alert does: opens an incident, feeds the open one, or repeats what is known. Decisions 3: while the incident is open a
 * repeat changes nothing; after it has closed a repeat has to be beyond doubt; otherwise an alarm is raised.
 */
export function raise(
  { incident, site, earlier }: Situation,
  command: Raise,
): Step | { readonly repeatOf: Incident | null } {
  if (site === null) throw new TypeError('raise needs the site of the owner')
  const open = incident !== null && isOpen(incident) ? incident : null
  if (earlier !== null && isRepeat(earlier, open, command)) return { repeatOf: open }
  return open === null ? openIncident(site, command) : furtherAlert(open, site, command)
}

function isRepeat(earlier: EarlierAlert, open: Incident | null, { alert, now }: Raise): boolean {
  if (earlier.incidentId === open?.id) return true
  const same = earlier.fingerprint !== null && earlier.fingerprint === alert.fingerprint
  // A first receipt that lies far ahead was dated by a wrong clock, and says nothing.
  return same && Math.abs(now - earlier.receivedAt) < REPEAT_WINDOW_MS
}

/** Spec, Incident status, first row: active, with the whole plan in snapshot version 1. */
function openIncident(site: Site, { alert, reporterId, incidentId, linkSecret, now }: Raise): Step {
  const { settings } = site
  const startedAt = now + msOf(settings.graceSeconds)
  const incident: Incident = {
    id: incidentId,
    appId: site.appId,
    userId: site.userId,
    externalUserId: site.externalUserId,
    legacy: site.legacy,
    state: { status: 'active', acknowledgedAt: null, closedAt: null },
    occurredAt: alert.at,
    openedAt: now,
    updatedAt: now,
    lastAlertAt: now,
    autoResolveAt: now + autoResolveMs(settings),
    snapshotVersion: 1,
    relayUserId: reporterId === site.userId ? null : reporterId,
    creation: { payload: alert.payload, receivedAt: alert.receivedAt, warnings: alert.warnings },
    settings,
    contactActuator: contactActuatorOf(site),
    linkSecret,
    contacts: site.contacts.map((contact) => joinCascade(contact, linkSecret)),
    cascade: { round: 1, roundsLeft: settings.rounds - 1, startedAt, phase: { name: 'running' } },
    deliveries: [],
    held: false,
  }
  const planned = withPlanned(withRound(incident, now), planIntegrations(site, 1, startedAt), now)
  return { incident: planned, verdict: 'opened', events: ['processed'] }
}

/**
 * A further alert of an open incident keeps it from being resolved as forgotten. Where nobody is being told any more, it alarms
 * again with the contacts of now: a forgotten incident must not swallow the next SOS. Decisions 3.
 */
function furtherAlert(incident: Incident, site: Site, { reporterId, now }: Raise): Step {
  const { settings, cascade } = incident
  const fed: Incident = {
    ...incident,
    updatedAt: now,
    lastAlertAt: now,
    autoResolveAt: now + autoResolveMs(settings),
    relayUserId: incident.relayUserId ?? (reporterId === incident.userId ? null : reporterId),
    // What a restored file says may be over; who presses now is not.
    held: false,
  }
  const quiet = incident.state.status === 'acknowledged' || cascade.phase.name !== 'running'
  if (!quiet || now - incident.lastAlertAt < msOf(settings.realarmSeconds)) return { incident: fed, verdict: 'updated' }
  return { incident: rearmed(fed, site, now), verdict: 'updated' }
}

function rearmed(incident: Incident, site: Site, now: number): Incident {
  const known = new Map(incident.contacts.map((contact) => [contact.contactId, contact]))
  const current = site.contacts.map((contact) => ({
    ...joinCascade(contact, incident.linkSecret),
    acknowledgedAt: known.get(contact.contactId)?.acknowledgedAt ?? null,
  }))
  // Who was removed keeps the link and the entry, behind everybody who is told now: entries are in priority order.
  const last = Math.max(0, ...current.map((contact) => contact.priority))
  const removed = incident.contacts
    .filter((old) => !current.some((contact) => contact.contactId === old.contactId))
    .map((old, place) => ({ ...old, priority: last + place + 1 }))
  const round = incident.cascade.round + 1
  const rearmed: Incident = {
    ...incident,
    contactActuator: contactActuatorOf(site),
    contacts: [...current, ...removed],
    cascade: { round, roundsLeft: incident.settings.rounds - 1, startedAt: now, phase: { name: 'running' } },
  }
  const isUnderWay = (channel: Channel) =>
    incident.deliveries.some((row) => row.channel === channel && row.purpose === 'alarm' && isWaiting(row))
  const integrations = planIntegrations(site, round, now).filter((draft) => !isUnderWay(draft.channel))
  return withRound(withPlanned(rearmed, integrations, now), now, current)
}
