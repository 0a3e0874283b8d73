import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../ingest/fields.ts'
import { hearings } from './card.ts'
import { languageField } from './contact-schema.ts'

const line = (max: number) => z.string().trim().min(1).max(max).refine(isStorable, NOT_STORABLE).nullish()

/** `PUT /v1/sdk/me/card`: only the fields sent change, null clears a field, unknown keys are ignored. */
export const cardUpdateSchema = z.object({
  languages: z.array(languageField).max(10).nullish(),
  hearing: z.enum(hearings).nullish(),
  yearOfBirth: z.int().min(1900).max(2100).nullish(),
  peopleWithMe: line(200),
  vehicle: line(200),
  note: line(1000),
  contactIds: z.array(z.uuid()).max(100).nullish(),
})

export type CardUpdate = z.infer<typeof cardUpdateSchema>
