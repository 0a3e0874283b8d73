import { createHmac } from 'node:crypto'
import { MINUTE } from '../../lib/durations.ts'
import type { ShownActuator } from '../account/actuator-types.ts'
import { msOf, type Settings } from '../account/settings.ts'
import type { PlannedContact } from './alarm-plan.ts'
import {
  type Channel,
  type Delivery,
  givenUp,
  type IntegrationChannel,
  isWaiting,
  type Lease,
  mayBeReached,
} from './delivery.ts'
import { type ContactActuator, type Incident, type IncidentContact, isOpen } from './incident.ts'

/** How long a claimed attempt may lack an outcome before it counts as unknown. rules.md#unknown-outcomes. */
export const QUIET_MS = 10_000

/** How long a receipt may be overdue before its provider is asked. */
export const RECEIPT_OVERDUE_MS = MINUTE

/** How long after a message was sent its provider is asked about it. */
const ASKED_FOR_MS = 30 * MINUTE

/** Until when a provider is asked about a message that it took (epoch ms). */
export const askedUntil = ({ askUntil, updatedAt }: Delivery): number => askUntil ?? updatedAt + ASKED_FOR_MS

/**
 * Whether asking about a sent message is still worthwhile. Asking ends eventually, whatever interval the provider
 * suggests.
 */
export const isWorthAsking = (row: Delivery, now: number): boolean => now < askedUntil(row)

/**
 * `row` as handed to its notifier at `now`. It records the number it goes to, which may be corrected before the
 * look-up.
 */
export function claimedRow({ contacts }: Incident, row: Delivery, now: number, by?: Lease): Delivery {
  const { repeats = 0, ...kept } = row
  const contact = contacts.find(({ contactId }) => contactId === row.contactId)
  const isText = row.channel === 'sms' || row.channel === 'voice'
  const claim = { at: now, checkAt: now + QUIET_MS, repeats, ...(by && { by }) }
  return { ...kept, claim, ...(isText && contact !== undefined && { to: contact.phone }) }
}

export type Draft = Pick<Delivery, 'purpose' | 'actuator' | 'channel' | 'contactId' | 'round' | 'dueAt'> &
  Partial<Pick<Delivery, 'tries' | 'nth' | 'leads'>>

/**
 * `incident` with `drafts` appended as scheduled deliveries. The number of the newest attempt gives the next
 * attempt id, and the incident can be read from an attempt id alone.
 */
export function withPlanned(incident: Incident, drafts: readonly Draft[], now: number): Incident {
  if (drafts.length === 0) return incident
  const deliveries = [...incident.deliveries]
  for (const [place, draft] of drafts.entries()) {
    deliveries.push({
      tries: 0,
      ...draft,
      id: `${incident.id}.${incident.planned + place + 1}`,
      attempt: attemptsAt(incident, deliveries, draft) + 1,
      status: 'scheduled',
      claim: null,
      provider: null,
      providerRef: null,
      error: null,
      updatedAt: now,
    })
  }
  return { ...incident, deliveries, planned: incident.planned + drafts.length }
}

function attemptsAt({ folded }: Incident, deliveries: readonly Delivery[], draft: Draft): number {
  const before = draft.purpose === 'alarm' ? (folded.find((entry) => isSameTarget(entry, draft))?.count ?? 0) : 0
  return before + deliveries.filter((row) => row.purpose === draft.purpose && isSameTarget(row, draft)).length
}

/** The incident of an attempt id. For any other text, a string that matches no incident. */
export const incidentIdOf = (attemptId: string): string => attemptId.slice(0, Math.max(0, attemptId.lastIndexOf('.')))

/** The number of an attempt within its incident, taken from its id; NaN for anything else. */
export const attemptNumberOf = (attemptId: string): number => Number(attemptId.slice(attemptId.lastIndexOf('.') + 1))

/** Whether two attempts go to the same contact over the same channel. */
export const isSameTarget = (
  a: Pick<Delivery, 'channel' | 'contactId'>,
  b: Pick<Delivery, 'channel' | 'contactId'>,
): boolean => a.channel === b.channel && a.contactId === b.contactId

/**
 * One run of the cascade over `contacts` that starts at `startAt`: contact k's SMS (and own HTTP channel) one interval
 * after contact k-1's, each call one acknowledgement time-out after its SMS. rules.md#escalation. Without contacts it
 * is one placeholder row, which is skipped when it is due because it has no target. `email`: contacts with an address
 * also get a mail beside the SMS.
 */
export function planCascade(
  settings: Settings,
  contacts: readonly Pick<PlannedContact, 'contactId' | 'email'>[],
  { round, startAt, httpChannel, email }: { round: number; startAt: number } & ContactActuator,
): readonly Draft[] {
  const base = { purpose: 'alarm', actuator: 'emergency_contacts', round } as const
  if (contacts.length === 0) return [{ ...base, channel: 'sms', contactId: null, dueAt: startAt }]
  return contacts.flatMap(({ contactId, email: address }, place): Draft[] => {
    const smsDueAt = startAt + place * msOf(settings.contactIntervalSeconds)
    const callDueAt = smsDueAt + msOf(settings.ackTimeoutSeconds)
    return [
      { ...base, channel: 'sms', contactId, dueAt: smsDueAt },
      ...(settings.voice ? [{ ...base, channel: 'voice' as const, contactId, dueAt: callDueAt }] : []),
      ...(httpChannel ? [{ ...base, channel: 'http' as const, contactId, dueAt: smsDueAt }] : []),
      // Incidents of earlier versions lack the address.
      ...(email && address != null ? [{ ...base, ...MAIL, contactId, dueAt: smsDueAt }] : []),
    ]
  })
}

const MAIL = { actuator: 'email', channel: 'email' } as const

/** The configured chat and webhook actuators, due with the first SMS. */
export const planIntegrations = (integrations: readonly IntegrationChannel[], dueAt: number): readonly Draft[] =>
  integrations.map((type) => ({ purpose: 'alarm', actuator: type, channel: type, contactId: null, round: 1, dueAt }))

/**
 * Plans the attempts of a round. An attempt that still waits from an earlier round, such as an SMS being retried, moves
 * to the new round instead of being duplicated. So does one in flight if its target already has two, so that a hanging
 * provider cannot grow an incident.
 */
export function withDrafts(incident: Incident, drafts: readonly Draft[], now: number): Incident {
  const open = incident.deliveries.filter((row) => row.purpose === 'alarm' && row.status === 'scheduled')
  const goesOver = (row: Delivery): boolean =>
    isWaiting(row) || open.filter((other) => isSameTarget(other, row)).length >= MAX_UNSETTLED
  const { round } = incident.cascade
  const over = new Map<Delivery, Delivery>()
  const missing: Draft[] = []
  for (const draft of drafts) {
    const rows = open.filter((row) => isSameTarget(row, draft) && goesOver(row))
    for (const row of rows) {
      // A retry keeps the wait that its provider asked for.
      const dueAt = row.tries === 0 ? Math.min(row.dueAt, draft.dueAt) : row.dueAt
      over.set(row, { ...row, round, dueAt, nth: 1, ...(draft.leads && { leads: draft.leads }) })
    }
    if (rows.length === 0) missing.push(draft)
  }
  const deliveries = incident.deliveries.map((row) => over.get(row) ?? row)
  return withPlanned({ ...incident, deliveries }, missing, now)
}

/** Attempts at one target that may be open at the same time. */
export const MAX_UNSETTLED = 2

/**
 * Settles every waiting row that matches: as `failed` if it was tried before, else as `skipped`. rules.md#attempts:
 * terminal.
 */
export const withSkipped = (incident: Incident, now: number, matches: (row: Delivery) => boolean): Incident => ({
  ...incident,
  deliveries: incident.deliveries.map((row) => (isWaiting(row) && matches(row) ? givenUp(row, now) : row)),
})

/** At least 128 random bits per contact and incident (rules.md#tracking-links), short enough for an SMS. */
const tokenFor = (linkSecret: string, contactId: string): string =>
  createHmac('sha256', linkSecret).update(contactId).digest('base64url').slice(0, 22)

/** A contact as copied into the incident. */
export const joinCascade = (contact: PlannedContact, linkSecret: string): IncidentContact => ({
  ...contact,
  token: tokenFor(linkSecret, contact.contactId),
  acknowledgedAt: null,
})

/** A call is followed up by a text: nobody wants an automated call that only says that the alarm is over. */
const allClearChannel = {
  sms: 'sms',
  voice: 'sms',
  http: 'http',
  chat: 'chat',
  webhook: 'webhook',
  email: 'email',
} as const satisfies Record<Channel, Channel>

/** The all-clear rows that a closed incident lacks: one for every target that may be notified and has none yet. */
export function missingAllClears(incident: Incident, now: number): readonly Draft[] {
  if (isOpen(incident) || !incident.settings.allClear) return []
  const reached = [
    ...incident.folded.filter((entry) => entry.told || entry.mayHaveArrived),
    ...incident.deliveries.filter(mayBeReached),
  ]
  const told = incident.drill?.isOvertaken ? reached.filter(({ channel }) => channel === 'webhook') : reached
  const isStopped = (contactId: string | null) =>
    incident.contacts.some((contact) => contact.contactId === contactId && contact.stopped !== undefined)
  const hasSms = (contactId: string | null) =>
    told.some((row) => row.contactId === contactId && allClearChannel[row.channel] === 'sms')
  const keyOf = ({ channel, contactId }: Pick<Delivery, 'channel' | 'contactId'>): string => `${channel} ${contactId}`
  const known = new Set(incident.deliveries.filter((row) => row.purpose === 'all_clear').map(keyOf))
  const drafts: Draft[] = []
  for (const { actuator, contactId, channel: heardBy } of told) {
    const channel = allClearChannel[heardBy]
    const key = keyOf({ channel, contactId })
    if (known.has(key)) continue
    // sms.md#wrong-number: one closing text.
    if (channel === 'email' && isStopped(contactId) && hasSms(contactId)) continue
    known.add(key)
    drafts.push({ purpose: 'all_clear', actuator, channel, contactId, round: incident.cascade.round, dueAt: now })
  }
  return drafts
}

/** Whether this is an alarm to a contact that counts: no mail. */
export const isContactsRow = (row: Delivery): boolean =>
  row.purpose === 'alarm' && row.actuator === 'emergency_contacts'

/** Whether this is an alarm to a contact, a mail included: it ends with the contact's other alarms. rules.md#email. */
export const isContactsOrMail = (row: Delivery): boolean =>
  isContactsRow(row) || (row.purpose === 'alarm' && row.actuator === 'email')

/** Whether a contact's attempt may still begin: the incident is open and nobody has answered since the last alarm. */
export const isAwaited = (incident: Incident): boolean => isOpen(incident) && incident.cascade.phase.name !== 'answered'

/** Whether a question is still worth sending: not once it has been answered or its incident has ended. */
export function isStillAsked(incident: Incident, { purpose }: Pick<Delivery, 'purpose'>): boolean {
  if (purpose === 'check_in') return isOpen(incident) && incident.watch?.asked === true
  return purpose !== 'last_call' || (incident.state.status === 'active' && incident.isLastCallMade)
}

/** Whether a failed attempt of this row's actuator may be followed by another. */
export const mayFollow = (incident: Incident, actuator: ShownActuator): boolean =>
  actuator === 'emergency_contacts' || actuator === 'email' ? isAwaited(incident) : isOpen(incident)
