import type { Command, CountedEnd } from './command.ts'
import { type Incident, isOpen, type Major } from './incident.ts'

type Mark = Omit<Extract<Command, { type: 'mark' }>, 'type' | 'knownAlertAt'>

/**
 * Puts an incident into a major incident or takes it out, assigns it, or counts its person. Nothing of the alarm
 * changes: its cascade goes on. No change if it is in another one than the operator's screen showed. rules.md#major.
 */
export function mark(incident: Incident, { now, name, major, from, assignedTo, head }: Mark): Incident {
  const { major: before, ...alone } = incident
  const isWhereSeen = [major?.id, from ?? undefined].includes(before?.id)
  if (!isOpen(incident) || (before !== undefined && !isWhereSeen)) return incident
  if (major === null) return before === undefined ? incident : alone
  const team = assignedTo === undefined ? before?.assignedTo : (assignedTo ?? undefined)
  const counted =
    head === undefined ? before?.head : head ? { state: head, at: now, name, alertAt: incident.lastAlertAt } : undefined
  if (before?.id === major.id && team === before.assignedTo && counted === before.head) return incident
  return {
    ...incident,
    major: { ...major, ...(team !== undefined && { assignedTo: team }), ...(counted && { head: counted }) },
  }
}

/**
 * The head count's entry. Null: none, or the person has pressed again or somebody has written since. `heardAt`: the
 * newest message of the person or a contact. An operator's answer to it counts nobody anew.
 */
export function countedAs({ major, lastAlertAt }: Incident, heardAt?: number): NonNullable<Major['head']> | null {
  const head = major?.head
  if (head === undefined || head.alertAt !== lastAlertAt) return null
  return heardAt !== undefined && heardAt >= head.at ? null : head
}

/** Why it must not be ended from the list of its major incident. Null: it may. rules.md#major. */
export function whyNotFromList(
  incident: Incident,
  { majorId, operatorId }: CountedEnd,
  heardAt?: number,
): 'taken_by_another' | 'not_counted' | null {
  const { major, takenBy } = incident
  if (takenBy && takenBy.operatorId !== operatorId) return 'taken_by_another'
  return major?.id === majorId && countedAs(incident, heardAt) !== null ? null : 'not_counted'
}
