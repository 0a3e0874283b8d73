import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../ingest/fields.ts'

const text = (max: number) => z.string().trim().min(1).max(max).refine(isStorable, NOT_STORABLE)

/** `POST /v1/sdk/feedback`. protocol.md#rest. */
export const feedbackSchema = z.object({
  message: text(4000),
  category: text(100).nullish(),
  rating: z.number().int().min(1).max(5).nullish(),
})

export type FeedbackInput = z.infer<typeof feedbackSchema>
