import { z } from 'zod'
import { shiftNoteField } from '../../../../../core/operator/operator-schema.ts'

const instant = z.iso.datetime()
const named = z.object({ operatorId: z.uuid(), name: z.string() })

export const shiftSchema = z
  .object({
    onShift: z
      .array(named.extend({ seenAt: instant.meta({ description: 'When they last did something, about' }) }))
      .readonly()
      .meta({ description: 'Operators who are signed in and work for an application of the caller' }),
    handOvers: z
      .array(
        z.object({
          from: named,
          to: named,
          offeredAt: instant,
          endsAt: instant.meta({ description: 'Until when it may be accepted' }),
          state: z.enum(['offered', 'accepted', 'declined', 'lapsed']),
          answeredAt: instant.nullable(),
        }),
      )
      .readonly()
      .meta({ description: 'Offers to the caller, and what has come of the caller’s own' }),
    notes: z
      .array(z.object({ by: named, at: instant, text: z.string() }))
      .readonly()
      .meta({ description: 'Notes to the next shift that nobody has confirmed, oldest first' }),
  })
  .meta({ id: 'Shift', description: 'Who is on shift, and what one shift leaves to the next' })

export const offerToSchema = z.object({ to: z.uuid() })
export const offerFromSchema = z.object({ from: z.uuid() })
export const handedOverSchema = z.object({
  taken: z.int().meta({ description: 'Incidents that are the caller’s now' }),
  left: z.int().meta({ description: 'Incidents of other applications, which stay with the giver' }),
})
export const shiftNoteSchema = z.object({ text: shiftNoteField })
export const confirmNoteSchema = z.object({
  by: z.uuid(),
  at: z.iso.datetime({ offset: true }).meta({ description: 'Of the note as it was read: a newer one stays' }),
})
