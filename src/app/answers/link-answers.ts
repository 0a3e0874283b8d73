import type { HelpPromise } from '../../core/incident/incident.ts'
import { hasAnswered } from '../../core/incident/rounds.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ContactStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { accessOf, type linkFinder, type NoLink } from './tracking-link.ts'

/** How often the answers of one link may change an incident. rules.md#tracking-links. */
const ANSWERS = { times: 10, perMs: MINUTE }
const MAX_LINKS = 10_000

type Answer = { readonly type: 'acknowledge'; readonly promise?: HelpPromise } | { readonly type: 'decline' }
type Answered = { readonly done: true } | NoLink

/** The answers that a contact can give on the page behind a link. */
export function linkAnswers({
  store,
  door,
  clock,
  find,
}: {
  readonly store: Pick<ContactStore, 'markContact'>
  readonly door: IncidentDoor
  readonly clock: Pick<Clock, 'now'>
  readonly find: ReturnType<typeof linkFinder>
}) {
  const answers = new RateLimiter(ANSWERS, MAX_LINKS)

  const answer = async (token: string, command: Answer): Promise<Answered> => {
    const link = await find(token)
    if ('refused' in link) return link
    const { incident, contactId } = link
    if (accessOf(link) === 'over') return { done: true }
    const isFirst = !incident.contacts.some((known) => known.contactId === contactId && hasAnswered(known, incident))
    if (!answers.take(token, clock.now()) && !isFirst) return { done: true }
    await door.change({ incidentId: incident.id }, { ...command, now: clock.now(), contactId })
    return { done: true }
  }
  /** Stored with the contact as well, for later incidents, once the incident has it. */
  const says = async (
    token: string,
    command: { readonly type: 'stop'; readonly how: 'stranger' } | { readonly type: 'start' },
  ): Promise<Answered> => {
    const link = await find(token)
    if ('refused' in link) return link
    const { incident, contactId } = link
    const contact = incident.contacts.find((known) => known.contactId === contactId)
    const now = clock.now()
    const isFirst = contact !== undefined && !hasAnswered(contact, incident)
    if (contact === undefined || accessOf(link) === 'over') return { done: true }
    if (!answers.take(token, now) && !isFirst) return { done: true }
    const changed = await door.change({ incidentId: incident.id }, { ...command, now, contactId })
    const how = changed.incident?.contacts.find((known) => known.contactId === contactId)?.stopped?.how
    const what = command.type === 'start' ? 'start' : command.how
    if (how !== (what === 'start' ? undefined : what)) return { done: true }
    await store.markContact(incident.userId, contact.correctionOf ?? contactId, { what, phone: contact.phone, now })
    return { done: true }
  }

  return {
    /** The contact helps, and how. Acknowledging a closed incident changes nothing. */
    acknowledge: (token: string, promise?: HelpPromise): Promise<Answered> =>
      answer(token, { type: 'acknowledge', ...(promise && { promise }) }),

    /** The contact does not know the person: no more messages to them. sms.md#wrong-number. */
    stop: (token: string): Promise<Answered> => says(token, { type: 'stop', how: 'stranger' }),

    /** Resumes messages after a stop. */
    start: (token: string): Promise<Answered> => says(token, { type: 'start' }),

    /** The contact shows the position to another one, who joined. rules.md#position-access. */
    async showPosition(token: string, contactId: string): Promise<Answered> {
      const link = await find(token)
      if ('refused' in link) return link
      if (!answers.take(token, clock.now())) return { done: true }
      const command = { type: 'showPosition', now: clock.now(), contactId, by: link.contactId } as const
      await door.change({ incidentId: link.incident.id }, command)
      return { done: true }
    },

    /** The contact can't help, or no longer can. */
    decline: (token: string): Promise<Answered> => answer(token, { type: 'decline' }),
  }
}
