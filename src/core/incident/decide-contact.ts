import type { Application } from '../account/application.ts'
import { type Contact, insertedAt, isAllowedDestination, isReorderOf } from '../account/contact.ts'
import type { ContactCreate, ContactUpdate } from '../account/contact-schema.ts'
import type { Refused } from '../decided.ts'
import { plannedContactOf } from './alarm-plan.ts'
import type { Command } from './command.ts'

/** The user whose contacts change. */
export type ContactOwner = {
  readonly userId: string
  /** The rules of the user's application. Null for an unknown user. */
  readonly rules: Pick<Application, 'language' | 'allowedPrefixes'> | null
  /** In order. */
  readonly contacts: readonly Contact[]
}

export type NewContact = {
  readonly id: string
  readonly fields: ContactCreate
  readonly now: number
  readonly limit: number
  readonly bySession?: true
}

/** A contact's reply about messages to `phone`. sms.md#wrong-number. */
export type ContactSaying = {
  readonly what: 'stop' | 'stranger' | 'start'
  readonly phone: string
  readonly now: number
}

/** The author of a change to a user's contacts. rules.md#position-access. */
export type ContactChanger = 'session' | 'operator'

export type ChangedContacts = {
  readonly insert?: Contact
  /** Contacts that changed, or only moved. */
  readonly update?: readonly Contact[]
  readonly remove?: string
  /** A command for the user's open incident, in the same commit. */
  readonly tell?: Command
}

/** Adds a contact; a priority means the place to insert it at. rules.md#contacts. */
export function decideAddContact(
  { userId, rules, contacts }: ContactOwner,
  { id, fields, now, limit, bySession }: NewContact,
): Refused<'contact_limit' | 'phone_not_allowed'> | (ChangedContacts & { readonly insert: Contact }) {
  if (contacts.length >= limit) return { refused: 'contact_limit' }
  if (rules === null) throw new Error('contact of an unknown user')
  const { name, phone, email, language } = fields
  if (!isAllowedDestination(phone, rules.allowedPrefixes)) return { refused: 'phone_not_allowed' }
  const order = insertedAt(idsOf(contacts), id, fields.priority ?? null)
  const insert: Contact = {
    ...{ id, userId, name, phone, email: email ?? null, language: language ?? rules.language },
    ...{ priority: order.indexOf(id) + 1, ...NOTHING_SAID, createdAt: now, updatedAt: now },
  }
  const tell = { type: 'addContact', now, contact: plannedContactOf(insert), ...(bySession && { bySession }) } as const
  return { insert, update: moved(contacts, order, now), tell }
}

/**
 * Changes only the fields sent, in the cascade of an open incident as well. A new number is unverified, and a null
 * language resets it to the application's. rules.md#contacts.
 */
export function decideUpdateContact(
  { rules, contacts }: ContactOwner,
  contactId: string,
  sent: ContactUpdate,
  now: number,
  by: ContactChanger = 'session',
): Refused<'contact_not_found' | 'phone_not_allowed'> | (ChangedContacts & { readonly contact: Contact }) {
  const before = contacts.find(({ id }) => id === contactId)
  if (before === undefined || rules === null) return { refused: 'contact_not_found' }
  if (sent.phone !== undefined && !isAllowedDestination(sent.phone, rules.allowedPrefixes)) {
    return { refused: 'phone_not_allowed' }
  }
  const { name = before.name, phone = before.phone, email = before.email } = sent
  const language = sent.language === undefined ? before.language : (sent.language ?? rules.language)
  const order = sent.priority == null ? idsOf(contacts) : insertedAt(idsOf(contacts), contactId, sent.priority)
  const contact: Contact = {
    ...{ ...before, name, phone, email, language, priority: order.indexOf(contactId) + 1, updatedAt: now },
    ...(phone !== before.phone && NOTHING_SAID),
  }
  const others = moved(contacts, order, now).filter(({ id }) => id !== contactId)
  const changer = by === 'session' ? ({ bySession: true } as const) : ({ byOperator: true } as const)
  const tell = { type: 'updateContact', now, contact: plannedContactOf(contact), ...changer } as const
  return { contact, update: [contact, ...others], tell }
}

/** Removes a contact. The contacts behind it move up, and an open incident notes the removal. */
export function decideRemoveContact(
  { contacts }: ContactOwner,
  contactId: string,
  now: number,
  by: ContactChanger = 'session',
): Refused<'contact_not_found'> | ChangedContacts {
  const others = contacts.filter(({ id }) => id !== contactId)
  if (others.length === contacts.length) return { refused: 'contact_not_found' }
  const update = moved(others, idsOf(others), now)
  const byOperator = by === 'operator' ? ({ byOperator: true } as const) : {}
  return { remove: contactId, update, tell: { type: 'removeContact', now, contactId, ...byOperator } }
}

/** Puts a user's contacts in the given order, which must name each of them once. */
export function decideReorderContacts(
  { contacts }: ContactOwner,
  order: readonly string[],
  now: number,
): Refused<'not_a_reorder'> | ChangedContacts {
  return isReorderOf(order, idsOf(contacts)) ? { update: moved(contacts, order, now) } : { refused: 'not_a_reorder' }
}

/** Records a contact's reply; it changes nothing if the number is no longer theirs. sms.md#wrong-number. */
export function decideMarkContact(
  { contacts }: ContactOwner,
  contactId: string,
  { what, phone, now }: ContactSaying,
): ChangedContacts {
  const contact = contacts.find((one) => one.id === contactId && one.phone === phone)
  return contact === undefined ? {} : { update: [{ ...contact, ...said(what, now) }] }
}

const NOTHING_SAID = { verifiedAt: null, declinedAt: null, stoppedAt: null } as const

function said(what: ContactSaying['what'], now: number): Partial<Contact> {
  switch (what) {
    case 'stop':
      return { stoppedAt: now }
    case 'stranger':
      return { verifiedAt: null, declinedAt: now }
    case 'start':
      return { stoppedAt: null, declinedAt: null }
    default:
      return what satisfies never
  }
}

const idsOf = (contacts: readonly Contact[]): readonly string[] => contacts.map(({ id }) => id)

/** The contacts whose place in `order` differs; only they count as changed. */
const moved = (contacts: readonly Contact[], order: readonly string[], now: number): readonly Contact[] =>
  contacts.flatMap((contact) => {
    const priority = order.indexOf(contact.id) + 1
    return priority === contact.priority ? [] : [{ ...contact, priority, updatedAt: now }]
  })
