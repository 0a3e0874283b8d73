import { z } from 'zod'
import { emailField, nameField, phoneField } from './profile-schema.ts'

/** BCP 47, restricted to what message texts need: a language, then subtags. */
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
