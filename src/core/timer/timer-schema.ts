import { z } from 'zod'
import { parseEventTime } from '../ingest/event-time.ts'
import { fieldMessage } from '../ingest/field-message.ts'
import type { FieldProblem } from '../ingest/fields.ts'
import { isStorable, NOT_STORABLE } from '../ingest/fields.ts'
import { MAX_ACCURACY } from '../ingest/payload.ts'

/** RFC 3339 with a zone, as epoch ms. */
const dueAt = z
  .string()
  .max(64)
  .refine((text) => parseEventTime(text) !== null, 'must be an RFC 3339 date-time with a zone')
  .meta({ format: 'date-time', description: 'When the user means to have reported back. At most 30 days ahead' })

/** A single line, because it goes into the messages to the contacts. */
const note = z
  .string()
  .trim()
  .max(200)
  .refine(isStorable, NOT_STORABLE)
  .meta({ description: 'What the contacts should know: where to, by which way' })

const position = z
  .object({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    altitude: z.number().nullish(),
    accuracy: z.number().min(0).max(MAX_ACCURACY).nullish(),
  })
  .meta({ description: 'Where the user is now' })

/** `POST /v1/sdk/timers`. protocol.md#timers. */
export const timerSetSchema = z.object({ dueAt, note: note.nullish(), position: position.nullish() })
/** `PATCH /v1/sdk/timers/{id}`. */
export const timerExtendSchema = z.object({ dueAt })

export type TimerSet = z.infer<typeof timerSetSchema>

const timerId = z.uuid().optional()

/** A publish on `sos/timers/<sdk_user_id>`. Without `timerId`, `extend` and `end` mean the running timer due next. */
export const timerMessageSchema = z.discriminatedUnion('action', [
  timerSetSchema.extend({ action: z.literal('set') }),
  timerExtendSchema.extend({ action: z.literal('extend'), timerId }),
  z.object({ action: z.literal('end'), timerId }),
])

export type TimerMessage = z.infer<typeof timerMessageSchema>

/** Reads a publish, or names its bad fields. */
export function readTimerMessage(
  json: Readonly<Record<string, unknown>>,
): { readonly message: TimerMessage } | { readonly problems: readonly FieldProblem[] } {
  const read = timerMessageSchema.safeParse(json, { error: fieldMessage })
  if (read.success) return { message: read.data }
  return { problems: read.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'action', message })) }
}
