import { MINUTE } from '../../lib/durations.ts'
import { type Delivery, mayBeReached } from './delivery.ts'
import { type Draft, isContactsRow, withPlanned } from './escalation.ts'
import { type HelpPromise, type Incident, type IncidentContact, isOpen, type ToldOfHelp } from './incident.ts'
import { hasAnswered, isHelped, toldContacts } from './rounds.ts'

/**
 * The most news of help that a contact gets during one incident, however often helpers come and go.
 * rules.md#telling-others.
 */
const MAX_TOLD = 2

/**
 * Tells alarmed contacts without an answer that somebody is coming, or calling: at the first such answer to an alarm,
 * and again if the first one was only calling. rules.md#telling-others.
 */
export function withOthersTold(incident: Incident, promise: HelpPromise | undefined, now: number): Incident {
  // Incidents of earlier versions lack this setting.
  if (promise === undefined || incident.settings.tellOthers !== true) return incident
  const { round } = incident.cascade
  const isComing = promise.kind === 'coming'
  const told = new Set(
    toldContacts(incident).filter(
      (contact) =>
        isWaitingFor(contact, incident) && isNewsFor(contact, round, isComing) && isAlarmed(contact, incident),
    ),
  )
  if (told.size === 0) return incident
  const drafts = [...told].map(({ contactId }): Draft => {
    return { purpose: 'tell_others', actuator: 'emergency_contacts', channel: 'sms', contactId, round, dueAt: now }
  })
  const contacts = incident.contacts.map((contact) => {
    if (!told.has(contact)) return contact
    const toldOfHelp: ToldOfHelp = { times: (contact.toldOfHelp?.times ?? 0) + 1, round, isComing }
    return { ...contact, toldOfHelp }
  })
  return withPlanned({ ...incident, contacts }, drafts, now)
}

/** Whether the contact waits for news of the current alarm. */
const isWaitingFor = (contact: IncidentContact, incident: Incident): boolean =>
  !contact.gone && contact.removedAt === undefined && !hasAnswered(contact, incident)

function isNewsFor({ toldOfHelp }: IncidentContact, round: number, isComing: boolean): boolean {
  if (toldOfHelp === undefined) return true
  if (toldOfHelp.times >= MAX_TOLD) return false
  return toldOfHelp.round !== round || (isComing && !toldOfHelp.isComing)
}

/** Whether an alarm has reached the contact, or may have, including one that is leaving right now. */
const isAlarmed = ({ contactId }: IncidentContact, { deliveries, folded }: Incident): boolean =>
  deliveries.some(
    (row) => isContactsRow(row) && row.contactId === contactId && (mayBeReached(row) || row.claim !== null),
  ) ||
  folded.some(
    (entry) =>
      entry.contactId === contactId && entry.channel !== 'email' && (entry.told || entry.mayHaveArrived === true),
  )

/** Whether such a text is still true and wanted. If not, it is settled instead of being sent. */
export function isStillTold(
  incident: Incident,
  { purpose, contactId }: Pick<Delivery, 'purpose' | 'contactId'>,
): boolean {
  if (purpose !== 'tell_others') return true
  const contact = incident.contacts.find((known) => known.contactId === contactId)
  return isOpen(incident) && isHelped(incident) && contact !== undefined && isWaitingFor(contact, incident)
}

/**
 * Whether the contact was told that somebody helps with the current alarm; such contacts are alarmed first if nobody
 * does.
 */
export const wasTold = ({ toldOfHelp }: IncidentContact, { cascade }: Incident): boolean =>
  toldOfHelp?.round === cascade.round

/**
 * The help under way as the other contacts read it: in how many minutes the first helper arrives, or that somebody is
 * calling. Null: somebody helps, but did not say how.
 */
export function helpUnderWay(incident: Incident, now: number): HelpPromise | null {
  const promises = toldContacts(incident).flatMap(({ acknowledgedAt, response }) =>
    acknowledgedAt !== null && response !== undefined && response.round === incident.cascade.round ? [response] : [],
  )
  const arrivals = promises.flatMap((one) => (one.kind === 'coming' ? [one.at + one.etaMinutes * MINUTE] : []))
  if (arrivals.length > 0) {
    return { kind: 'coming', etaMinutes: Math.max(1, Math.round((Math.min(...arrivals) - now) / MINUTE)) }
  }
  return promises.some(({ kind }) => kind === 'calling') ? { kind: 'calling' } : null
}
