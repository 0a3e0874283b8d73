import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { deliveryStatuses } from '../../../../../core/incident/delivery.ts'
import { incidentStatuses } from '../../../../../core/incident/incident.ts'
import { talkToField } from '../../../../../core/incident/talk-schema.ts'
import { smsWayNames } from '../../../../../core/message/sms-talk.ts'
import { type Caller, callerOf } from '../../admission/caller.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { family } from '../../family.ts'
import { later, type Refuse } from '../../refusals.ts'
import { errors } from '../../schemas/error.ts'
import { incidentSchema } from '../../sdk/incident.ts'
import { talkLineSchema } from '../../sdk/messages.ts'
import { incidentRefusals } from './incident-refusals.ts'
import { boardItemSchema, eventTimeAsSent, exampleIncidentId, exampleItem, examplePosition, outcome } from './item.ts'

export const PATH = '/v1/operator/incidents'

const instant = z.iso.datetime()
const name = z.string().nullable()
const { lastPosition, actuators } = incidentSchema.shape
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
  onCall: z.literal(true).optional().meta({ description: 'Was on duty when nobody took the alarm' }),
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
  occurredAt: eventTimeAsSent.optional(),
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
    talk: z
      .object({
        mayWrite: z.boolean(),
        to: talkToField.meta({ description: 'Whom a message without `to` is for: as the person’s newest one' }),
        readers: z
          .array(z.object({ contactId: z.uuid(), name: z.string(), now: z.boolean() }))
          .readonly()
          .meta({ description: 'Contacts who read what is for all; not `now`: once they are coming or calling' }),
        items: z.array(talkLineSchema).readonly().meta({ description: 'Oldest first, the newest 500' }),
        sms: z
          .object({
            phone: z.string(),
            lines: z
              .array(
                z.object({
                  n: z.int(),
                  way: z.enum(smsWayNames).meta({
                    description:
                      '`queued`: behind alarms, or at the provider; `waits`: until the hour has room; `failed`: no provider has taken it; `stopped`: the person has texted STOP',
                  }),
                  until: instant.optional(),
                }),
              )
              .readonly(),
          })
          .nullable()
          .meta({ description: 'How messages to a person who alarmed by SMS go by SMS, besides the app; else null' }),
      })
      .meta({ description: 'What person, contacts and operators have written to each other' }),
    calledBack: z.array(tick).readonly(),
    next: z.array(upcomingStep).readonly().meta({ description: 'What happens next automatically, the soonest first' }),
    mayUndoTakeUntil: instant.nullable(),
    hasCard: z.boolean().meta({ description: 'The person has a card, which may be shown now' }),
    profile: z
      .object({ name, phone: name, email: name, address: name, notes: name, groups: z.array(z.string()).readonly() })
      .nullable(),
  })
  .meta({ id: 'IncidentCase', description: 'One incident as an operator works on it' })

export const idSchema = z.object({ id: z.uuid() })
export const pressesQuerySchema = z.object({
  presses: z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Of the item as the operator sees it: with more, 409' }),
})
const aheadQuerySchema = z.object({
  ahead: z.literal('true').optional().meta({ description: 'Nobody has opened it: no look at this one incident' }),
})

export const exampleContactId = '0197f6a0-9b8c-7d6e-8f50-a1b2c3d4e5f6'
export const exampleCase = {
  incident: exampleItem,
  snapshot: { snapshotVersion: 4, items: [] },
  contacts: [
    {
      contactId: exampleContactId,
      name: 'Ana Berger',
      phone: '+436607654321',
      priority: 1,
      language: 'de',
      status: 'delivered',
      channels: [{ channel: 'sms', status: 'delivered', at: '2026-05-01T14:08:24.000Z' }],
      response: null,
      acknowledgedAt: null,
      calledBack: null,
      removed: false,
      position: 'shown',
    },
  ],
  timeline: [
    { at: '2026-05-01T14:08:12.000Z', kind: 'pressed', occurredAt: '2026-05-01T14:08:10Z', relayed: false },
    { at: '2026-05-01T14:09:02.000Z', kind: 'action', action: 'take', by: 'Eva', contactId: null },
  ],
  trail: [examplePosition],
  remarks: [{ field: 'timestamp', message: 'is more than 5 min in the future; the time of arrival is used instead' }],
  notes: [],
  talk: {
    mayWrite: true,
    to: 'all',
    readers: [{ contactId: exampleContactId, name: 'Ana Berger', now: false }],
    items: [],
    sms: null,
  },
  calledBack: [],
  next: [{ at: '2026-05-01T14:39:02.000Z', what: 'check_in' }],
  mayUndoTakeUntil: '2026-05-01T14:10:02.000Z',
  hasCard: true,
  profile: {
    name: 'Mia Gruber',
    phone: '+436601234567',
    email: null,
    address: null,
    notes: 'Deaf in one ear',
    groups: [],
  },
}

type Incidents = ReturnType<typeof operatorIncidents>
export type CaseAnswer = Awaited<
  ReturnType<Incidents['take' | 'major' | 'resend' | 'addNote' | 'tickCalledBack' | 'say']>
>

/** The case, or the refusal with how things stand. */
export function answerCase(
  reply: FastifyReply,
  refuse: Refuse<keyof typeof incidentRefusals | 'incident_open' | 'contact_not_found'>,
  done: CaseAnswer,
) {
  if (!('refused' in done)) return done.case
  if (done.refused === 'resent_too_soon' || done.refused === 'too_many_messages') {
    return refuse(reply, done.refused, later(done))
  }
  return 'case' in done ? refuse(reply, done.refused, { incident: done.case }) : refuse(reply, done.refused)
}

/** Reads one incident or many, in the caller's turn. */
export const inTurn = <R>(
  request: Pick<FastifyRequest, 'getDecorator'>,
  work: (by: Caller) => Promise<R>,
): Promise<R> => {
  const caller = callerOf(request)
  return caller.inTurn(() => work(caller))
}

type Needs = OperatorAdmission & { readonly incidents: Pick<Incidents, 'one' | 'ahead'> }

/** One incident as an operator works on it (access.md#operators). */
export const operatorCaseRoutes = (needs: Needs) => {
  const { incidents } = needs
  return family('OPERATOR', needs, {
    refusals: incidentRefusals,

    bodiless(scope, refuse) {
      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'incident.view' },
          schema: {
            operationId: 'getIncident',
            summary: 'One incident with everything known about it',
            description:
              'One incident with its contacts, what has happened, its trail, notes, and what happens next automatically. Each look leaves a row in the audit log, one an hour; `ahead` one like a look at the list, for a screen that keeps cases at hand which nobody has opened.',
            params: idSchema,
            querystring: aheadQuerySchema,
            response: { 200: caseSchema, ...errors(400, 404) },
            examples: {
              parameters: { id: exampleIncidentId, ahead: 'true' },
              answers: { 200: exampleCase },
            },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          const isAhead = request.query.ahead !== undefined
          const read = (by: Caller) => (isAhead ? incidents.ahead(by, id) : incidents.one(by, id, 'incident.view'))
          return answerCase(reply, refuse, await inTurn(request, read))
        },
      )
    },
  })
}
