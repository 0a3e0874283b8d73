import type { EndOutcome, Incident } from '../core/incident/incident.ts'
import { leftBy } from '../core/incident/owner.ts'

const closers = {
  user: ' from the user’s own session',
  operator: ' by the operator',
  contact: ' by a contact',
  system: ' automatically',
} as const

const outcomeWords: Readonly<Record<EndOutcome, string>> = {
  found_safe: 'found safe',
  hospital: 'brought to hospital',
  false_alarm: 'false alarm',
  test: 'test',
  handed_over: 'handed over',
}

/** The person who ended the incident and its outcome, as the end of a sentence. Empty while it is open. */
export function closedBy({ closing }: Incident): string {
  if (closing === null) return ''
  const { by, name, outcome, note } = closing
  const remark = [outcome && outcomeWords[outcome], note].filter(Boolean).join(': ')
  return `${closers[by]}${name === null ? '' : `, ${name}`}${remark === '' ? '' : ` (${remark})`}`
}

/** Says that the operator in charge has left and nobody has taken over. Empty otherwise. access.md#shifts. */
export function leftWords(incident: Incident): string {
  const left = leftBy(incident)
  return left === null ? '' : `; nobody has it, was with ${left.name ?? 'an operator'}`
}
