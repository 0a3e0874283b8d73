import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../ingest/fields.ts'

/** Bounds of protocol.md#profile, shared with the emergency contacts. */
export const nameField = z.string().trim().min(1).max(200).refine(isStorable, NOT_STORABLE)
export const emailField = z.email().max(254)
export const phoneField = z.e164('must be an E.164 number such as +4366012345678')

/** `PUT /v1/sdk/me`: only the fields sent change, null clears a field, unknown keys are ignored. */
export const profileUpdateSchema = z.object({
  name: nameField.nullish(),
  email: emailField.nullish(),
  phone: phoneField.nullish(),
  address: z.string().trim().min(1).max(500).refine(isStorable, NOT_STORABLE).nullish(),
})

export type ProfileUpdate = z.infer<typeof profileUpdateSchema>
