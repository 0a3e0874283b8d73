import { SECOND } from '../../lib/durations.ts'
import { isoAt } from '../ingest/event-time.ts'
import type { Channel, Delivery, DeliveryStatus } from './delivery.ts'
import type { Incident, IncidentContact } from './incident.ts'

/** The result of one channel to a contact. `afterSeconds`: from the start to the last change. Null: it never ran. */
type WayReport = {
  readonly channel: Channel
  readonly status: DeliveryStatus
  readonly error: string | null
  readonly provider: string | null
  readonly afterSeconds: number | null
}

/** The answer of one contact. `afterSeconds`: null without an answer. */
type ContactReport = {
  readonly contactId: string
  readonly name: string
  readonly answer: 'helping' | 'coming' | 'calling' | 'unable' | null
  readonly afterSeconds: number | null
  readonly channels: readonly WayReport[]
}

/**
 * The report on a drill: answers with their delays, and failures. `failed`: how many ways failed. preparing.md#drills.
 */
export type DrillReport = {
  readonly incidentId: string
  readonly applicationId: string
  readonly userId: string
  readonly externalUserId: string
  readonly toContacts: boolean
  /** The user started it, to practise. */
  readonly own?: true
  /** A press of the user, or a restore, ended it. */
  readonly overtaken: boolean
  readonly status: Incident['state']['status']
  readonly startedAt: string
  readonly endedAt: string | null
  readonly firstAnswerSeconds: number | null
  readonly contacts: readonly ContactReport[]
  readonly integrations: readonly WayReport[]
  readonly failed: number
}

/**
 * The report from all attempts of the incident, oldest first. Only alarm attempts count: an all-clear proves nothing
 * more.
 */
export function drillReport(incident: Incident, attempts: readonly Delivery[]): DrillReport {
  const { id, appId, userId, externalUserId, state, openedAt, drill } = incident
  const alarms = attempts.filter(({ purpose }) => purpose === 'alarm')
  const secondsTo = (at: number): number => Math.max(0, Math.round((at - openedAt) / SECOND))
  const waysTo = (contactId: string | null): readonly WayReport[] => {
    // The last attempt of a way gives its result. A contact without attempts has no ways.
    const last = new Map<Channel, Delivery>()
    for (const row of alarms) if (row.contactId === contactId) last.set(row.channel, row)
    return [...last.values()].map(({ channel, status, error, provider, updatedAt }) => {
      const hasRun = status !== 'scheduled' && status !== 'skipped'
      return { channel, status, error, provider, afterSeconds: hasRun ? secondsTo(updatedAt) : null }
    })
  }
  const contacts = incident.contacts.map((contact): ContactReport => {
    const { contactId, name } = contact
    return { contactId, name, ...answerOf(contact, secondsTo), channels: waysTo(contactId) }
  })
  // The placeholder row of a cascade without contacts has no target.
  const integrations = waysTo(null).filter(({ channel }) => channel === 'chat' || channel === 'webhook')
  const answered = contacts.filter(({ answer }) => answer !== null && answer !== 'unable')
  const times = answered.flatMap(({ afterSeconds }) => afterSeconds ?? [])
  const ways = [...contacts.flatMap(({ channels }) => channels), ...integrations]
  return {
    incidentId: id,
    applicationId: appId,
    userId,
    externalUserId,
    toContacts: drill?.toContacts === true,
    ...(drill?.isOwn && { own: true }),
    overtaken: drill?.isOvertaken === true,
    status: state.status,
    startedAt: isoAt(openedAt),
    endedAt: state.closedAt === null ? null : isoAt(state.closedAt),
    firstAnswerSeconds: times.length === 0 ? null : Math.min(...times),
    contacts,
    integrations,
    failed: ways.filter(({ status }) => status === 'failed').length,
  }
}

function answerOf(
  { acknowledgedAt, response }: IncidentContact,
  secondsTo: (at: number) => number,
): Pick<ContactReport, 'answer' | 'afterSeconds'> {
  if (response !== undefined) return { answer: response.kind, afterSeconds: secondsTo(response.at) }
  if (acknowledgedAt === null) return { answer: null, afterSeconds: null }
  return { answer: 'helping', afterSeconds: secondsTo(acknowledgedAt) }
}
