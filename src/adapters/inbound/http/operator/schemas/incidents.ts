// One file: the shapes of boards, lists and cases, which share their parts.
import { z } from 'zod'
import { channels, deliveryStatuses } from '../../../../../core/incident/delivery.ts'
import { endOutcomes, incidentStatuses } from '../../../../../core/incident/incident.ts'
import { endRemarkFields, noteField } from '../../../../../core/operator/operator-schema.ts'
import { pageSchema } from '../../schemas/page.ts'
import { incidentSchema } from '../../sdk/incident.ts'

const instant = z.iso.datetime()
const asSent = z.string().meta({ format: 'date-time', description: 'Event time as sent' })
const { lastPosition, relayedPosition, actuators, reason, overdue, silent } = incidentSchema.shape
const name = z.string().nullable()
const operatorId = z.string().nullable()
const outcome = z.enum(endOutcomes).optional().meta({ description: 'How it turned out, if an operator said so' })

export const boardItemSchema = z
  .object({
    incidentId: z.uuid(),
    applicationId: z.uuid(),
    applicationName: z.string(),
    userId: z.uuid(),
    person: z.object({ name, phone: z.string().nullable(), externalId: z.string() }),
    status: z.enum(incidentStatuses),
    type: z.literal('sos'),
    reason,
    overdue,
    silent,
    unknownDevices: z
      .array(z.string())
      .readonly()
      .optional()
      .meta({ description: 'Devices named by its alerts that nobody has paired: somebody else may be in danger' }),
    version: z.int().meta({ description: '`snapshotVersion`' }),
    openedAt: instant,
    occurredAt: asSent,
    pressedAt: instant.meta({ description: 'When it was pressed, at the latest when it arrived' }),
    lateSeconds: z.int().nullable().meta({ description: 'By how much it arrived late; null up to 2 min' }),
    updatedAt: instant,
    closedAt: instant.nullable(),
    urgency: z.literal([0, 1, 2, 3, 4, 5]).meta({ description: '0 is the most urgent (rules.md#standing)' }),
    presses: z.int().min(0),
    round: z.int().min(1).meta({ description: 'Of the cascade; grows when nobody answered' }),
    lastPressAt: instant,
    answer: z
      .object({
        by: z.object({ kind: z.enum(['contact', 'operator']), name }),
        kind: z.enum(['acknowledged', 'coming', 'calling']),
        etaMinutes: z.int().optional(),
        at: instant,
        overdue: z.boolean(),
      })
      .nullable(),
    takenBy: z
      .object({
        operatorId: operatorId.meta({ description: 'Or of an API token; null: the command line' }),
        name,
        at: instant,
        from: z
          .object({ operatorId, name, agreed: z.literal(true).optional().meta({ description: 'By a hand-over' }) })
          .optional()
          .meta({ description: 'Whom it was taken over from' }),
      })
      .optional()
      .meta({ description: 'The operator who has it, while it is open' }),
    wasWith: z.object({ name, at: instant }).optional().meta({
      description: 'Unanswered: the operator who had it is no longer signed in (rules.md#shifts)',
    }),
    delivered: z.boolean().meta({ description: 'A message has got through to a contact' }),
    firstMessage: z
      .object({ channel: z.enum(channels), at: instant })
      .nullable()
      .meta({ description: 'The first message to a contact, while none has been tried yet' }),
    new: z.boolean().meta({ description: 'Open, and no operator has opened it on a screen or taken it' }),
    held: z.boolean(),
    drill: z.boolean().meta({ description: 'Nobody is in danger: an exercise, or a simulated SOS' }),
    simulated: z.boolean().meta({ description: 'A simulated SOS, which rings and counts as a real one does' }),
    position: lastPosition,
    relayedPosition,
    places: z.array(lastPosition.unwrap()).readonly().optional().meta({
      description: 'Where there is more than one place, or another user sent it: what stands first in front',
    }),
    raisedThrough: z.object({ deviceId: z.string() }).optional().meta({
      description: 'Only other users of the service have raised it so far, through this tracker',
    }),
    battery: z
      .object({
        phone: z.number().optional(),
        phoneAt: instant.optional(),
        device: z.enum(['critical', 'low', 'medium', 'ok']).optional(),
        deviceAt: instant.optional(),
      })
      .nullable()
      .meta({
        description: 'Of the phone in percent, and of the tracker: the newest; in lists of what is over at the press',
      }),
    closing: z
      .object({
        kind: z.enum(incidentStatuses),
        by: z.enum(['user', 'operator', 'contact', 'system']).nullable(),
        name,
        at: instant,
        confirmed: z.boolean().meta({ description: 'A person ended it' }),
        outcome,
        note: z.string().optional().meta({ description: 'What the operator who ended it said' }),
      })
      .nullable(),
    putOff: z
      .object({ until: instant })
      .optional()
      .meta({ description: 'It has ended, but counts as open: presses that no hand makes go on and are put off' }),
    contactsChangedAt: instant
      .optional()
      .meta({ description: "When the user's own session first changed contacts during the alarm" }),
    fewTold: z.enum(['board', 'fallback', 'first']).optional().meta({
      description:
        'It tells few, because most likely nobody has pressed. `board`: nobody. `fallback`: chat, webhook and fallback contact. `first`: the same and, without a fallback contact, the first contact. Until somebody presses',
    }),
    nobodyLeft: z.literal(true).optional().meta({
      description: 'Every contact has stopped messages or does not know the person, while it is open',
    }),
    toCallBack: z.int().meta({ description: '1: the user ended it after others were told, and nobody has called yet' }),
  })
  .meta({ id: 'BoardItem', description: 'An incident as boards and lists show it' })

export const boardPageSchema = pageSchema(boardItemSchema)

const status = z.enum(deliveryStatuses)
const mayHaveArrived = z.literal(true).optional().meta({
  description: 'Where `status` is `failed`: nobody can tell whether it arrived',
})
const response = z.object({
  kind: z.enum(['coming', 'calling', 'unable']),
  etaMinutes: z.int().optional(),
  at: instant,
})
const note = z.object({ id: z.string(), by: z.string(), at: instant, text: z.string() })
const tick = z.object({ contactId: z.uuid().nullable(), by: z.string(), at: instant })

const contact = z.object({
  contactId: z.uuid(),
  name: z.string(),
  phone: z.string(),
  priority: z.int(),
  language: z.string(),
  status,
  channels: z
    .array(
      z.object({
        channel: z.string(),
        status,
        at: instant.optional(),
        error: z.string().optional(),
        mayHaveArrived,
      }),
    )
    .readonly(),
  response: response.nullable(),
  acknowledgedAt: instant.nullable(),
  calledBack: tick.nullable(),
  removed: z.boolean().meta({ description: 'No longer a contact' }),
  joined: z
    .enum(['session', 'operator'])
    .optional()
    .meta({ description: "Added or corrected during the alarm: by the user's own session, or by an operator" }),
  stopped: z
    .enum(['stop', 'stranger'])
    .optional()
    .meta({ description: 'Gets nothing more of this incident: wants no messages, or does not know the person' }),
  position: z
    .enum(['shown', 'withheld', 'over'])
    .meta({ description: 'Whether they see it; `over`: removed, and sees the page of an ended alarm' }),
})

/** Besides `at` and `kind`, what its kind has. */
const timelineEntry = z.object({
  at: instant,
  kind: z.enum([
    'pressed',
    'pressed_again',
    'arrived',
    'overdue',
    'message',
    'answered',
    'taken',
    'action',
    'note',
    'called_back',
    'closed',
  ]),
  by: name.optional().meta({ description: 'Who; of `closed`: `user`, `operator`, `contact` or `system`' }),
  contactId: z.uuid().nullable().optional(),
  occurredAt: asSent.optional(),
  pressedAt: instant.optional().meta({ description: 'Of `arrived`: when it was pressed' }),
  late: z.literal(true).optional().meta({ description: 'A press that arrived more than 2 min later' }),
  relayed: z.boolean().optional(),
  dueAt: instant.optional(),
  note: z.string().nullable().optional(),
  attemptId: z.string().optional(),
  purpose: z.string().optional(),
  channel: z.string().optional(),
  status: z.enum([...deliveryStatuses, ...incidentStatuses]).optional(),
  attempt: z.int().optional(),
  round: z.int().optional(),
  provider: z.string().nullable().optional(),
  error: z.string().nullable().optional(),
  mayHaveArrived,
  answer: z.enum(['helping', 'coming', 'calling', 'unable']).optional(),
  etaMinutes: z.int().optional(),
  action: z.string().optional(),
  from: z.string().optional().meta({ description: 'Of `take_over`: whom it was taken over from' }),
  noteId: z.string().optional(),
  text: z.string().optional(),
  name: name.optional(),
  outcome,
})

const upcomingStep = z.object({
  at: instant,
  what: z.enum(['message', 'round_ends', 'round', 'realarm', 'check_in', 'others_alarmed', 'closes']),
  purpose: z.string().optional(),
  channel: z.string().optional(),
  contactId: z.uuid().nullable().optional(),
})

export const caseSchema = z
  .object({
    incident: boardItemSchema,
    snapshot: actuators,
    contacts: z.array(contact).readonly(),
    timeline: z.array(timelineEntry).readonly().meta({ description: 'Oldest first' }),
    trail: z.array(lastPosition.unwrap()).readonly(),
    remarks: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .readonly()
      .meta({ description: 'On the first alert: what was wrong with it, or which LoRaWAN gateway heard it' }),
    notes: z.array(note).readonly(),
    calledBack: z.array(tick).readonly(),
    next: z.array(upcomingStep).readonly().meta({ description: 'What happens next automatically, the soonest first' }),
    mayUndoTakeUntil: instant.nullable(),
    profile: z
      .object({ name, phone: z.string().nullable(), email: z.string().nullable(), address: z.string().nullable() })
      .nullable(),
  })
  .meta({ id: 'IncidentCase', description: 'One incident as an operator works on it' })

const MAX_LIMIT = 1_000
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`
const momentField = (what: string) =>
  z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({ type: 'string', format: 'date-time', description: what })

const searchShape = {
  app: z.uuid().optional().meta({ description: 'Of this application' }),
  from: momentField('Opened then or later'),
  to: momentField('Opened before'),
  text: z.string().trim().min(1).max(200).optional().meta({
    description: 'Part of the name, phone or external id, or the beginning of the id of the incident',
  }),
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(incidentStatuses)).max(4))
    .optional()
    .meta({ type: 'string', description: 'One or more, separated by commas' }),
  drills: z.literal('true').optional().meta({ description: 'Exercises and nothing else; otherwise none of them' }),
}

export const searchQuerySchema = z.object(searchShape)
export const boardQuerySchema = z.object({
  ...searchShape,
  state: z.enum(['open', 'closed', 'all']).default('open'),
  cursor: z.string().min(1).max(512).optional().meta({ description: 'The `nextCursor` of the previous page' }),
  limit: z
    .string(LIMIT_RULE)
    .refine((text) => /^[0-9]{1,4}$/.test(text), { error: LIMIT_RULE, abort: true })
    .transform(Number)
    .pipe(z.number().min(1, LIMIT_RULE).max(MAX_LIMIT, LIMIT_RULE))
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Defaults to 1,000 where open, else 50' }),
})

export const idSchema = z.object({ id: z.uuid() })
export const aheadQuerySchema = z.object({
  ahead: z.literal('true').optional().meta({ description: 'Nobody has opened it: no look at this one incident' }),
})
export const contactOfIncidentSchema = z.object({ id: z.uuid(), contactId: z.uuid() })
const writtenAt = momentField('When it was written, if it had to wait for a connection; at most 24 h ago')
export const noteSchema = z.object({ text: noteField, writtenAt })
export const calledBackSchema = z.object({ contactId: z.uuid().nullable(), writtenAt })
export const pressesQuerySchema = z.object({
  presses: z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Of the item as the operator sees it: with more, 409' }),
})
/** Null and absent are the same: nothing is said. */
export const resolveSchema = z.object({
  presses: z.int().min(0).nullish().meta({ description: 'As in the query; of two the smaller one counts' }),
  outcome: endRemarkFields.outcome.nullish(),
  note: endRemarkFields.note.nullish().meta({ description: 'One sentence on how it turned out' }),
})
export const takeOverSchema = z.object({
  from: z.uuid().nullable().meta({ description: '`operatorId` of the item’s `takenBy`: where it has changed, 409' }),
})
export const resendSchema = z.object({ contactId: z.uuid() })
