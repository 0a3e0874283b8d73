import { isoAt } from '../ingest/event-time.ts'
import type { Incident } from './incident.ts'

/**
 * The person who answered. `contactId`: null for an operator. `name`: null if unknown, and where it must not be shown.
 * `at`: ISO 8601.
 */
export type AcknowledgedBy = {
  readonly kind: 'contact' | 'operator'
  readonly contactId: string | null
  readonly name: string | null
  readonly at: string
}

type Answer = { readonly contactId: string | null; readonly name: string | null; readonly at: number }

export const acknowledgedBy = ({ contactId, name, at }: Answer): AcknowledgedBy => ({
  kind: contactId === null ? 'operator' : 'contact',
  contactId,
  name,
  at: isoAt(at),
})

/**
 * The newest answer that nobody has taken back; null if there is none. Names no contact who was removed before the last
 * alarm, because such an answer ends no alarm. rules.md#acknowledging.
 */
function standingAnswer(incident: Incident): Answer | null {
  if (incident.state.acknowledgedAt === null) return null
  const answers = incident.contacts.flatMap(({ contactId, name, acknowledgedAt, gone }) =>
    acknowledgedAt === null || gone ? [] : [{ contactId, name, at: acknowledgedAt }],
  )
  const operator = operatorsAnswer(incident)
  return [...answers, ...(operator === null ? [] : [operator])].reduce<Answer | null>(
    (newest, answer) => (newest === null || answer.at >= newest.at ? answer : newest),
    null,
  )
}

/** Earlier versions recorded an operator's answer only as the last one. */
function operatorsAnswer({ takenBy, lastAnswer, left }: Incident): Answer | null {
  if (takenBy) return { contactId: null, name: takenBy.name, at: takenBy.at }
  return takenBy === undefined && left === undefined && lastAnswer?.contactId === null ? lastAnswer : null
}

/** For the person's own app: in a silent emergency without the name (rules.md#telling-others). */
export function shownAnswer(incident: Incident): AcknowledgedBy | null {
  const answer = standingAnswer(incident)
  return answer && acknowledgedBy(incident.silent ? { ...answer, name: null } : answer)
}
