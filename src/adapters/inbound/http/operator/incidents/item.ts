import { z } from 'zod'
import { channels } from '../../../../../core/incident/delivery.ts'
import { endOutcomes, headStates, incidentStatuses } from '../../../../../core/incident/incident.ts'
import { stageStates } from '../../../../../core/incident/progress.ts'
import { incidentSchema } from '../../sdk/incident.ts'

const instant = z.iso.datetime()
export const eventTimeAsSent = z.string().meta({ format: 'date-time', description: 'Event time as sent' })
const { lastPosition, relayedPosition, reason, overdue, silent } = incidentSchema.shape
const stage = z.enum(stageStates).optional()
const name = z.string().nullable()
const operatorId = z.string().nullable()
export const outcome = z.enum(endOutcomes).optional().meta({ description: 'How it turned out, if an operator said so' })

/** An incident as boards, lists and cases show it. */
export const boardItemSchema = z
  .object({
    incidentId: z.uuid(),
    applicationId: z.uuid(),
    applicationName: z.string(),
    userId: z.uuid(),
    person: z.object({
      name,
      phone: z.string().nullable(),
      groups: z
        .array(z.string())
        .readonly()
        .optional()
        .meta({ description: 'Where operators put the person, if in any' }),
      externalId: z.string(),
    }),
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
    occurredAt: eventTimeAsSent,
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
    messageAt: instant
      .optional()
      .meta({ description: 'When the person or a contact last wrote, unless an operator has written since' }),
    wasWith: z.object({ name, at: instant }).optional().meta({
      description: 'Unanswered: the operator who had it is no longer signed in (access.md#shifts)',
    }),
    delivered: z.boolean().meta({ description: 'A message has got through to a contact' }),
    firstMessage: z
      .object({ channel: z.enum(channels), at: instant })
      .nullable()
      .meta({ description: 'The first message to a contact, while none has been tried yet' }),
    new: z.boolean().meta({ description: 'Open, and no operator has opened it on a screen or taken it' }),
    news: z
      .object({ what: z.enum(['pressed', 'pressed_again', 'message', 'helper_lost']), at: instant })
      .optional()
      .meta({ description: 'Why an operator has to look: what has happened since one opened or took it' }),
    next: z
      .object({
        at: instant,
        what: z.enum(['message', 'round_ends', 'round', 'realarm', 'check_in', 'others_alarmed']),
        channel: z.enum(channels).optional(),
        name: z.string().optional().meta({ description: 'Of the contact whom the message is for' }),
      })
      .optional()
      .meta({ description: 'What happens next by itself, while it is open; a past time: as soon as possible' }),
    progress: z.object({ message: stage, call: stage, others: stage }).optional().meta({
      description:
        'How far this round of the cascade is: the message to its first contact, the call to them, the other contacts; absent what the round does not have',
    }),
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
    accountChangedAt: instant
      .optional()
      .meta({ description: 'When it first changed name, number or devices during the alarm' }),
    fewTold: z.enum(['board', 'fallback', 'first']).optional().meta({
      description:
        'It tells few, because most likely nobody has pressed. `board`: nobody. `fallback`: chat, webhook and fallback contact. `first`: the same and, without a fallback contact, the first contact. Until somebody presses',
    }),
    nobodyLeft: z.literal(true).optional().meta({
      description: 'Every contact has stopped messages or does not know the person, while it is open',
    }),
    major: z
      .object({
        id: z.string().meta({ description: 'Of the incident that the major incident is named after' }),
        startedAt: instant.meta({ description: 'When that was pressed' }),
        assignedTo: z.string().optional(),
        head: z
          .object({ state: z.enum(headStates), at: instant, name: z.string() })
          .optional()
          .meta({
            description: 'The head count, until the person presses again or somebody writes',
          }),
      })
      .optional()
      .meta({ description: 'Its part in a major incident (rules.md#major)' }),
    toCallBack: z.int().meta({ description: '1: the user ended it after others were told, and nobody has called yet' }),
  })
  .meta({ id: 'BoardItem', description: 'An incident as boards and lists show it' })

export const exampleIncidentId = '0197f6a2-77b0-7c11-9a55-1f2e3d4c5b6a'
export const examplePosition = { latitude: 47.07133, longitude: 11.40412, altitude: 2140, at: '2026-05-01T14:08:10Z' }

export const exampleItem = {
  incidentId: exampleIncidentId,
  applicationId: '0197f69f-3a10-7b22-8c44-5d6e7f809102',
  applicationName: 'Alpine huts',
  userId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  person: { name: 'Mia Gruber', phone: '+436601234567', groups: ['Hut wardens'], externalId: 'hiker-1' },
  status: 'acknowledged',
  type: 'sos',
  version: 4,
  openedAt: '2026-05-01T14:08:12.000Z',
  occurredAt: '2026-05-01T14:08:10Z',
  pressedAt: '2026-05-01T14:08:10.000Z',
  lateSeconds: null,
  updatedAt: '2026-05-01T14:09:02.000Z',
  closedAt: null,
  urgency: 4,
  presses: 1,
  round: 1,
  lastPressAt: '2026-05-01T14:08:12.000Z',
  answer: {
    by: { kind: 'operator', name: 'Eva' },
    kind: 'acknowledged',
    at: '2026-05-01T14:09:02.000Z',
    overdue: false,
  },
  delivered: true,
  firstMessage: null,
  new: false,
  next: { at: '2026-05-01T14:39:02.000Z', what: 'check_in' },
  progress: { message: 'done', call: 'skipped' },
  held: false,
  drill: false,
  simulated: false,
  position: examplePosition,
  battery: { phone: 64 },
  closing: null,
  toCallBack: 0,
}
