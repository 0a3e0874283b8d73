import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../ingest/fields.ts'
import { languageField } from './contact-schema.ts'
import { isExternalUserId } from './mqtt-username.ts'
import { profileUpdateSchema } from './profile-schema.ts'

/** The groups that a person may be in. */
const MAX_GROUPS = 20

export const externalUserIdField = z
  .string()
  .refine(isExternalUserId, 'must have 1 to 128 characters and no control characters')

/** A name without the characters that separate groups in a file. */
export const groupField = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}\p{Cs},;|]*$/u, 'must not contain commas, semicolons, bars or control characters')

const groupsField = z
  .array(groupField)
  .max(MAX_GROUPS)
  .overwrite((groups) => [...new Set(groups)])

export const notesField = z.string().trim().min(1).max(2000).refine(isStorable, NOT_STORABLE)

/**
 * Operators' entries about a person: the profile, and fields that only operators see. Only the fields sent change; null
 * clears a field. people.md.
 */
export const personUpdateSchema = profileUpdateSchema.extend({
  language: languageField.nullish(),
  notes: notesField.nullish(),
  groups: groupsField.optional(),
})

export type PersonUpdate = z.infer<typeof personUpdateSchema>
