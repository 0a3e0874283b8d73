import { z } from 'zod'
import { emailField, nameField, phoneField, recordTimes } from './profile.ts'

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
  readonly createdAt: number
  readonly updatedAt: number
}

/** BCP 47, as much as message texts need: a language, then subtags. */
export const languageField = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a BCP 47 language tag such as de or pt-BR')

const priority = z.number().int().min(1)

export const contactCreateSchema = z.object({
  name: nameField,
  phone: phoneField,
  email: emailField.nullish(),
  language: languageField.nullish(),
  priority: priority.nullish(),
})

/** `PUT` changes only the fields sent. Null clears `email`; name and phone cannot be cleared. */
export const contactUpdateSchema = z.object({
  name: nameField.optional(),
  phone: phoneField.optional(),
  email: emailField.nullish(),
  language: languageField.nullish(),
  priority: priority.nullish(),
})

export type ContactCreate = z.infer<typeof contactCreateSchema>
export type ContactUpdate = z.infer<typeof contactUpdateSchema>

/** The REST shape of a contact. */
export const contactView = (contact: Contact) => ({
  id: contact.id,
  name: contact.name,
  phone: contact.phone,
  email: contact.email,
  priority: contact.priority,
  language: contact.language,
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
