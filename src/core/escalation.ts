import { createHmac } from 'node:crypto'
import type { ActuatorType } from './actuator.ts'
import { type Channel, type Claim, type Delivery, isAhead, isWaiting } from './delivery.ts'
import { MINUTE } from './event-time.ts'
import { givenUp } from './given-up.ts'
import { type Incident, type IncidentContact, isOpen, type PlannedContact, type Site } from './incident.ts'
import { msOf, type Settings } from './settings.ts'

/** How long a claimed attempt may go without an outcome before it counts as unknown. Design, "A claimed attempt without an outcome". */
export const QUIET_MS = 10_000

/** How far a receipt may be overdue before its provider is asked. */
export const RECEIPT_OVERDUE_MS = MINUTE

/** For how long after it was sent a provider is asked what became of a message. */
const ASKED_FOR_MS = 30 * MINUTE

/** Whether news of a sent message may still come: nobody is asked for ever, whatever the provider says of when to ask again. */
export const isWorthAsking = ({ updatedAt }: Delivery, now: number): boolean => now - updatedAt < ASKED_FOR_MS

/** The claim of an attempt that is handed to its notifier at `now`. */
export const claimAt = (now: number, repeats: number, isQueued: boolean): Claim => ({
  at: now,
  checkAt: now + QUIET_MS,
  repeats,
  ...(isQueued && { queued: true }),
})

type Draft = Pick<Delivery, 'purpose' | 'actuator' | 'channel' | 'contactId' | 'round' | 'dueAt'> &
  Partial<Pick<Delivery, 'tries'>>

/**
 * `incident` with `drafts` appended as scheduled deliveries. Rows are never removed, so that their count makes the next attempt
 * id, and an attempt id alone names its incident.
 */
export function withPlanned(incident: Incident, drafts: readonly Draft[], now: number): Incident {
  const deliveries = [...incident.deliveries]
  for (const draft of drafts) {
    const before = deliveries.filter((row) => row.purpose === draft.purpose && isSameTarget(row, draft))
    deliveries.push({
      tries: 0,
      ...draft,
      id: `${incident.id}.${deliveries.length + 1}`,
      attempt: before.length + 1,
      status: 'scheduled',
      claim: null,
      provider: null,
      providerRef: null,
      error: null,
      updatedAt: now,
    })
  }
  return { ...incident, deliveries }
}

/** The incident that an attempt id belongs to; for anything else a text that names no incident. */
export const incidentIdOf = (attemptId: string): string => attemptId.slice(0, Math.max(0, attemptId.lastIndexOf('.')))

export const isSameTarget = (
  a: Pick<Delivery, 'channel' | 'contactId'>,
  b: Pick<Delivery, 'channel' | 'contactId'>,
): boolean => a.channel === b.channel && a.contactId === b.contactId

/**
 * One run of the cascade over `contacts`, whose first message is due at `startAt`: contact k's SMS (and own HTTP channel) one
 * interval after contact k-1's, the call when the acknowledgement time-out has passed. Decisions 4. A cascade without contacts is
 * one placeholder row, which is skipped when it is due: no target exists.
 */
export function planCascade(
  settings: Settings,
  contacts: readonly Pick<PlannedContact, 'contactId'>[],
  { round, startAt, httpChannel }: { round: number; startAt: number; httpChannel: boolean },
): readonly Draft[] {
  const base = { purpose: 'alarm', actuator: 'emergency_contacts', round } as const
  if (contacts.length === 0) return [{ ...base, channel: 'sms', contactId: null, dueAt: startAt }]
  return contacts.flatMap(({ contactId }, place): Draft[] => {
    const smsDueAt = startAt + place * msOf(settings.contactIntervalSeconds)
    const callDueAt = smsDueAt + msOf(settings.ackTimeoutSeconds)
    return [
      { ...base, channel: 'sms', contactId, dueAt: smsDueAt },
      ...(settings.voice ? [{ ...base, channel: 'voice' as const, contactId, dueAt: callDueAt }] : []),
      ...(httpChannel ? [{ ...base, channel: 'http' as const, contactId, dueAt: smsDueAt }] : []),
    ]
  })
}

/** Chat and webhook, as far as they are configured, due with the first SMS. */
export function planIntegrations(site: Site, round: number, dueAt: number): readonly Draft[] {
  const configured = (['chat', 'webhook'] as const).filter((type) => site.actuators[type] !== undefined)
  return configured.map((type) => ({ purpose: 'alarm', actuator: type, channel: type, contactId: null, round, dueAt }))
}

/**
 * Plans the round that the cascade names for `contacts`. An attempt that still waits from an earlier one, such as an SMS that is being
 * retried, needs no second one beside it: it goes over to the new round.
 */
export function withRound(incident: Incident, now: number, contacts = incident.contacts): Incident {
  const { round, startedAt } = incident.cascade
  if (incident.contactActuator === null) return incident
  const drafts = planCascade(incident.settings, contacts, {
    round,
    startAt: startedAt,
    httpChannel: incident.contactActuator.httpChannel,
  })
  const isUnderWay = (row: Delivery): boolean => row.purpose === 'alarm' && isWaiting(row)
  const deliveries = incident.deliveries.map((row) =>
    isUnderWay(row) && drafts.some((draft) => isSameTarget(row, draft)) ? { ...row, round } : row,
  )
  const missing = drafts.filter((draft) => !deliveries.some((row) => isUnderWay(row) && isSameTarget(row, draft)))
  return withPlanned({ ...incident, deliveries }, missing, now)
}

/** Who is told in the round under way. Contacts that were gone when a re-alarm began are no longer among them. */
export const contactsOfRound = (incident: Incident): readonly IncidentContact[] =>
  incident.contacts.filter(({ contactId }) =>
    incident.deliveries.some(
      (row) => isContactsRow(row) && row.round === incident.cascade.round && row.contactId === contactId,
    ),
  )

/** Settles whatever waits and matches: as skipped, or as failed where it was tried before. Spec, Actuator status lifecycle: terminal. */
export const withSkipped = (incident: Incident, now: number, matches: (row: Delivery) => boolean): Incident => ({
  ...incident,
  deliveries: incident.deliveries.map((row) => (isWaiting(row) && matches(row) ? givenUp(row, now) : row)),
})

/** At least 128 random bits a contact and incident (Decisions 4), short enough for an SMS. */
export const tokenFor = (linkSecret: string, contactId: string): string =>
  createHmac('sha256', linkSecret).update(contactId).digest('base64url').slice(0, 22)

/** A contact as the incident takes it over. */
export const joinCascade = (contact: PlannedContact, linkSecret: string): IncidentContact => ({
  ...contact,
  token: tokenFor(linkSecret, contact.contactId),
  acknowledgedAt: null,
})

/** Where the last message of an alarm told somebody something: who has to hear that it is over. Decisions 7. */
const wasTold = (row: Delivery): boolean =>
  row.purpose === 'alarm' && (row.status === 'sent' || row.status === 'delivered' || row.reachedAt !== undefined)

/** A call is followed by a text: nobody wants a machine's call to hear that nothing is the matter any more. */
const allClearChannel = {
  sms: 'sms',
  voice: 'sms',
  http: 'http',
  chat: 'chat',
  webhook: 'webhook',
} as const satisfies Record<Channel, Channel>

/** The all-clear rows that a closed incident still lacks: one for every target that was told and has none yet. */
export function missingAllClears(incident: Incident, now: number): readonly Draft[] {
  if (isOpen(incident) || !incident.settings.allClear) return []
  const drafts: Draft[] = []
  for (const row of incident.deliveries.filter(wasTold)) {
    const draft = { ...row, channel: allClearChannel[row.channel] }
    const known = [...incident.deliveries.filter((other) => other.purpose === 'all_clear'), ...drafts]
    if (known.some((other) => isSameTarget(other, draft))) continue
    const { actuator, channel, contactId, round } = draft
    drafts.push({ purpose: 'all_clear', actuator, channel, contactId, round, dueAt: now })
  }
  return drafts
}

const isContactsRow = (row: Delivery): boolean => row.purpose === 'alarm' && row.actuator === 'emergency_contacts'

/** Whether a contact's attempt may still begin: the incident is open and nobody answered since the last alarm. */
export const isAwaited = (incident: Incident): boolean => isOpen(incident) && incident.cascade.phase.name !== 'answered'

/** Whether a failed attempt of this row's actuator may be followed by another. */
export const mayFollow = (incident: Incident, actuator: ActuatorType): boolean =>
  actuator === 'emergency_contacts' ? isAwaited(incident) : isOpen(incident)

/**
 * `incident` with the phase of its cascade brought up to date: running while something is ahead, then ending one acknowledgement
 * time-out after the round's last attempt. Decisions 7.
 */
export function withPhase(incident: Incident, now: number): Incident {
  const { cascade } = incident
  if (!isAwaited(incident)) return incident
  const rows = incident.deliveries.filter((row) => isContactsRow(row) && row.round === cascade.round)
  if (rows.some(isAhead)) {
    return cascade.phase.name === 'running'
      ? incident
      : { ...incident, cascade: { ...cascade, phase: { name: 'running' } } }
  }
  if (cascade.phase.name !== 'running') return incident
  // What was ahead has just ceased to be: the last attempt was made now, on whichever clock its forerunners were.
  const endsAt = Math.max(cascade.startedAt, now) + msOf(incident.settings.ackTimeoutSeconds)
  return { ...incident, cascade: { ...cascade, phase: { name: 'ending', endsAt } } }
}

/** When a delivery wants attention: it is due, its claim is to be checked, or its provider to be asked. */
function momentOf({ status, claim, dueAt, askAt }: Delivery): number | null {
  if (claim !== null) return claim.checkAt
  if (status === 'scheduled') return dueAt
  return status === 'sent' ? (askAt ?? null) : null
}

/** When the dispatcher has to look at this incident next (epoch ms), or null when nothing is ahead. */
export function nextActionAt(incident: Incident): number | null {
  if (incident.held) return null
  const { phase } = incident.cascade
  const moments = incident.deliveries.flatMap((row) => momentOf(row) ?? [])
  if (isOpen(incident)) moments.push(incident.autoResolveAt)
  if (isOpen(incident) && phase.name === 'ending') moments.push(phase.endsAt)
  return moments.length === 0 ? null : Math.min(...moments)
}
