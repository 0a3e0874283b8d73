import { isoAt } from '../ingest/event-time.ts'
import { recordTimes } from './profile.ts'

/**
 * An emergency contact. Priorities of one user are always 1..n without gaps. protocol.md#contacts, rules.md#contacts.
 */
export type Contact = {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly phone: string
  readonly email: string | null
  readonly language: string
  readonly priority: number
  /** When they agreed to be a contact, or said that they do not know the user. preparing.md#verification. */
  readonly verifiedAt: number | null
  readonly declinedAt: number | null
  /** When they last stopped messages by SMS, until they take that back. sms.md#wrong-number. */
  readonly stoppedAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The REST shape of a contact. */
export const contactView = (contact: Contact) => ({
  id: contact.id,
  name: contact.name,
  phone: contact.phone,
  email: contact.email,
  priority: contact.priority,
  language: contact.language,
  ...(contact.verifiedAt !== null && { verifiedAt: isoAt(contact.verifiedAt) }),
  ...(contact.declinedAt !== null && { declinedAt: isoAt(contact.declinedAt) }),
  ...(contact.stoppedAt !== null && { stoppedAt: isoAt(contact.stoppedAt) }),
  ...recordTimes(contact),
})

/**
 * `ids` with `id` inserted at place `priority` (1-based; past the end means last). rules.md#contacts: priority means
 * "insert at this place".
 */
export function insertedAt(ids: readonly string[], id: string, priority: number | null): readonly string[] {
  const others = ids.filter((other) => other !== id)
  const place = priority === null ? others.length : Math.min(priority - 1, others.length)
  return [...others.slice(0, place), id, ...others.slice(place)]
}

/** Whether `order` names every one of `ids` exactly once. protocol.md#rest. */
export function isReorderOf(order: readonly string[], ids: readonly string[]): boolean {
  return order.length === ids.length && new Set(order).size === ids.length && ids.every((id) => order.includes(id))
}

/** Whether `phone` (E.164) begins with one of `prefixes`, or there are none. */
export const isAllowedDestination = (phone: string, prefixes: readonly string[]): boolean =>
  prefixes.length === 0 || prefixes.some((prefix) => phone.startsWith(prefix))
