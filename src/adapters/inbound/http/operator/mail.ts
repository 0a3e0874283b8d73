import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import { deadLetterView, feedbackView, outboxView } from '../../../../app/operator/mail.ts'
import type { Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { errors } from '../schemas/error.ts'
import { pageSchema } from '../schemas/page.ts'
import { applicationId, exampleList, exampleQuery, exampleTime, userId } from './examples.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf } from './scope.ts'

const PATH = '/v1/operator'

const moment = z.iso.datetime()
export const messageSchema = z.object({
  id: z.int(),
  applicationId: z.uuid().nullable(),
  incidentId: z.string().nullable(),
  contactId: z.string().nullable(),
  channel: z.string(),
  to: z.string(),
  text: z.string(),
  createdAt: moment,
})
export const letterSchema = z.object({
  id: z.int(),
  applicationId: z.uuid().nullable(),
  userId: z.string(),
  topic: z.string(),
  reason: z.string(),
  payload: z.string().meta({ description: 'Base64, at most the first 4,096 bytes' }),
  payloadBytes: z.int(),
  receivedAt: moment,
})
export const userFeedbackSchema = z.object({
  id: z.string(),
  applicationId: z.uuid(),
  userId: z.string(),
  externalUserId: z.string(),
  message: z.string(),
  category: z.string().nullable(),
  rating: z.int().nullable(),
  createdAt: moment,
})

type Needs = OperatorAdmission & {
  readonly store: Pick<Store, 'outboxPage' | 'deadLetterPage' | 'feedbackPage'>
  readonly noteLook: NoteLook
}

/** Messages kept instead of being sent or used, and users' feedback. protocol.md#operator-api. */
export const operatorMailRoutes = (needs: Needs) => {
  const { store, noteLook } = needs
  return family('OPERATOR', needs, {
    bodiless(scope, refuse) {
      scope.get(
        `${PATH}/outbox`,
        {
          config: { action: 'mail.view' },
          schema: {
            operationId: 'listOutbox',
            summary: 'Messages that the outbox kept instead of sending, newest first',
            description: 'SMS and calls that were kept on this machine instead of being sent, newest first.',
            querystring: listQuery,
            response: { 200: pageSchema(messageSchema), ...errors(400, 404) },
            examples: {
              parameters: exampleQuery,
              answers: {
                200: exampleList({
                  id: 7,
                  applicationId,
                  incidentId: null,
                  contactId: null,
                  channel: 'sms',
                  to: '+436601234567',
                  text: 'Test from Hut. Nobody needs help.',
                  createdAt: exampleTime,
                }),
              },
            },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(noteLook, request, query, 'mail.view')
          return pageOf(await callerOf(request).inTurn(() => store.outboxPage(query)), (message) => ({
            applicationId: message.appId,
            ...outboxView(message),
          }))
        },
      )

      scope.get(
        `${PATH}/dead-letters`,
        {
          config: { action: 'mail.view' },
          schema: {
            operationId: 'listDeadLetters',
            summary: 'Publishes that could not be processed, newest first',
            description:
              'Publishes that could not be processed, and why, newest first, with the beginning of what was sent.',
            querystring: listQuery,
            response: { 200: pageSchema(letterSchema), ...errors(400, 404) },
            examples: {
              parameters: exampleQuery,
              answers: {
                200: exampleList({
                  id: 3,
                  applicationId,
                  userId,
                  topic: 'u/telemetry',
                  reason: 'not JSON',
                  payload: 'bm8=',
                  payloadBytes: 2,
                  receivedAt: exampleTime,
                }),
              },
            },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          // A payload may hold a position.
          noteListLook(noteLook, request, query, 'mail.view')
          return pageOf(
            await callerOf(request).inTurn(() => store.deadLetterPage(query)),
            ({ appId, payloadBytes, ...letter }) => ({
              applicationId: appId,
              ...deadLetterView(letter),
              payloadBytes,
            }),
          )
        },
      )

      scope.get(
        `${PATH}/feedback`,
        {
          config: { action: 'feedback.view' },
          schema: {
            operationId: 'listFeedback',
            summary: 'What users wrote in the app, newest first',
            description: 'What users wrote in the app, newest first.',
            querystring: listQuery,
            response: { 200: pageSchema(userFeedbackSchema), ...errors(400, 404) },
            examples: {
              parameters: exampleQuery,
              answers: {
                200: exampleList({
                  id: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0d',
                  applicationId,
                  userId,
                  externalUserId: 'mia-7',
                  message: 'Works on the summit.',
                  category: null,
                  rating: 5,
                  createdAt: exampleTime,
                }),
              },
            },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(noteLook, request, query, 'feedback.view')
          return pageOf(await callerOf(request).inTurn(() => store.feedbackPage(query)), (one) => {
            const { appId, ...given } = feedbackView(one)
            return { applicationId: appId, ...given }
          })
        },
      )
    },
  })
}
