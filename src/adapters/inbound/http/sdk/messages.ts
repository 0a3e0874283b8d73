import { z } from 'zod'
import type { ownTalk } from '../../../../app/talk/own-talk.ts'
import { talkChannels, talkSides } from '../../../../core/incident/talk.ts'
import { quickReplyField, talkKeyField, talkTextField, talkToField } from '../../../../core/incident/talk-schema.ts'
import { quickReplies, quickReplyNames } from '../../../../core/text/quick-replies.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { later, type Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { ANA_ID, INCIDENT_ID } from './examples.ts'

const PATH = '/v1/sdk/sos/messages'
/** Of one answer. */
const MAX_LINES = 200

export const talkLineSchema = z
  .object({
    n: z.int().meta({ description: 'Grows with each message of the incident; some numbers are missing' }),
    at: z.iso.datetime(),
    from: z
      .object({
        kind: z.enum(talkSides),
        contactId: z.uuid().nullable(),
        name: z.string(),
        phone: z.string().nullable().meta({ description: 'The contact’s number, to which the link was sent' }),
        channel: z.enum(talkChannels),
      })
      .meta({ description: 'Whose phone, link or account it came from: not who held it' }),
    text: z.string(),
    quickReply: quickReplyField.nullable(),
    to: talkToField,
    unconfirmed: z
      .literal(true)
      .optional()
      .meta({ description: 'It says that the person is well: show that nobody else has confirmed it' }),
  })
  .meta({ id: 'SosMessage' })

/** The message as the person's connections get it on `sos/messages/…` and in the stream. */
export const talkEventSchema = z
  .object({
    type: z.literal('sos.message'),
    appId: z.uuid(),
    userId: z.uuid(),
    incidentId: z.uuid(),
    silent: z.literal(true).optional(),
    message: talkLineSchema,
  })
  .meta({ id: 'SosMessageEvent' })

/** The message there when somebody signs in at the rescue desk, or out. */
export const readersEventSchema = z
  .object({ type: z.literal('sos.readers'), appId: z.uuid(), userId: z.uuid(), incidentId: z.uuid() })
  .meta({ id: 'SosReadersEvent' })

export const talkSchema = z
  .object({
    incidentId: z.uuid().nullable(),
    mayWrite: z.boolean().meta({ description: 'False where nothing is open, or only other users have raised it' }),
    to: talkToField.meta({ description: 'Whom a message without `to` is for' }),
    deskStaffed: z.boolean().meta({ description: 'An operator who may answer is signed in' }),
    readers: z
      .array(
        z.object({
          kind: z.enum(['operator', 'contact']),
          contactId: z.uuid().nullable(),
          name: z.string(),
          now: z.boolean().meta({ description: 'False: once this contact answers that they are coming or calling' }),
        }),
      )
      .readonly()
      .meta({ description: 'Who reads what is written now. Operators who sign in later read it, too' }),
    items: z.array(talkLineSchema).readonly().meta({ description: 'Oldest first, the newest 200' }),
    quickReplies: z
      .array(
        z.object({
          id: quickReplyField,
          texts: z.object({ de: z.string(), en: z.string(), es: z.string(), fr: z.string(), it: z.string() }),
        }),
      )
      .readonly()
      .meta({ description: 'Answers for somebody who can hardly type' }),
  })
  .meta({ id: 'SosTalk' })

const sayShape = z.object({
  id: talkKeyField.meta({ description: 'Made by the app. The same id again is the same message' }),
  text: talkTextField.optional().meta({ description: 'Up to 500 characters' }),
  quickReply: quickReplyField
    .optional()
    .meta({ description: 'Instead of `text`: readers see it in their own language' }),
  to: talkToField.optional().meta({ description: '`desk`: only the rescue desk reads it' }),
  incidentId: z.uuid().optional().meta({ description: 'Only for this alarm: with a retry, never for the next one' }),
})
const saySchema = sayShape
  .refine(({ text, quickReply }) => (text === undefined) !== (quickReply === undefined), {
    path: ['text'],
    message: 'give either text or quickReply',
  })
  .meta({ id: 'NewSosMessage' })
const saidSchema = z.object({ incidentId: z.uuid(), message: talkLineSchema }).meta({ id: 'SentSosMessage' })

const querySchema = z.object({
  after: z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Only messages with a higher `n`' }),
})

export const talkRefusals = {
  incident_not_found: { kind: 'CONFLICT', message: 'No alarm is open. Nothing was sent.' },
  incident_closed: { kind: 'CONFLICT', message: 'This alarm has ended. Nothing was sent.' },
  no_talk: {
    kind: 'CONFLICT',
    message: 'Only other users have raised this alarm, so nobody would read it. Press SOS first.',
  },
  too_many_messages: { kind: 'RATE_LIMITED', message: '60 messages an hour is the limit. Wait, then try again.' },
} as const satisfies Refusals

const example = {
  n: 3,
  at: '2026-07-04T09:15:02.117Z',
  from: { kind: 'contact', contactId: ANA_ID, name: 'Ana', phone: '+436601234567', channel: 'page' },
  text: 'I am at the lower hut. Can you walk?',
  quickReply: null,
  to: 'all',
}
const exampleOwn = {
  ...example,
  n: 4,
  at: '2026-07-04T09:15:31.402Z',
  from: { kind: 'person', contactId: null, name: 'Mia', phone: null, channel: 'app' },
  text: "I can't move",
  quickReply: 'cannot_move',
}
const replies = quickReplyNames.map((id) => ({ id, texts: quickReplies[id] }))

type OwnTalk = ReturnType<typeof ownTalk>
type Needs = UserAdmission & {
  /** Loaded with the first use. */
  readonly ownTalk: () => Promise<OwnTalk>
}

/** The talk during the user's own alarm (protocol.md#talk). */
export const messageRoutes = (needs: Needs) =>
  family('MESSAGES', needs, {
    refusals: talkRefusals,

    json(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'readSosMessages',
            summary: 'The messages of the open alarm, and who reads them',
            description:
              'Show `readers` before the person writes. What is written stays readable until the alarm ends; then there is none.',
            querystring: querySchema,
            response: { 200: talkSchema, ...errors(400) },
            examples: {
              parameters: { after: 2 },
              answers: {
                200: {
                  incidentId: INCIDENT_ID,
                  mayWrite: true,
                  to: 'all',
                  deskStaffed: true,
                  readers: [
                    { kind: 'operator', contactId: null, name: 'Eva', now: true },
                    { kind: 'contact', contactId: ANA_ID, name: 'Ana', now: true },
                  ],
                  items: [example, exampleOwn],
                  quickReplies: replies,
                },
              },
            },
          },
        },
        async (request) => {
          const talk = await needs.ownTalk()
          const found = await talk.read(sessionOf(request), request.query.after ?? 0, MAX_LINES)
          return { ...found, quickReplies: replies }
        },
      )

      scope.post(
        PATH,
        {
          schema: {
            operationId: 'sendSosMessage',
            summary: 'Sends a message during the open alarm',
            description:
              'Rescue desk and contacts who help read it. 201 when it is new; 200 with the one that is there, so a retry sends no second one. It changes no state: it ends, answers and alarms nothing. 60 an hour.',
            body: saySchema,
            response: { 201: saidSchema, 200: saidSchema, ...bodyErrors, ...errors(409) },
            examples: {
              body: { id: 'b3f1c2d4-5e6f', quickReply: 'cannot_move', incidentId: INCIDENT_ID },
              answers: {
                201: { incidentId: INCIDENT_ID, message: exampleOwn },
                200: { incidentId: INCIDENT_ID, message: exampleOwn },
              },
            },
          },
        },
        async (request, reply) => {
          const { id, text, quickReply, to = null, incidentId = null } = request.body
          const said = quickReply === undefined ? { text: text! } : { quickReply }
          const talk = await needs.ownTalk()
          const line = { key: id, said, to, incidentId: incidentId?.toLowerCase() ?? null }
          const sent = await talk.say(sessionOf(request), line)
          if (!('refused' in sent)) {
            const { isNew, ...shown } = sent
            return reply.code(isNew ? 201 : 200).send(shown)
          }
          // Codes for contacts, which a person never gets.
          if (sent.refused === 'not_a_reader' || sent.refused === 'person_first') return refuse(reply, 'no_talk')
          return refuse(reply, sent.refused, later(sent))
        },
      )
    },
  })
