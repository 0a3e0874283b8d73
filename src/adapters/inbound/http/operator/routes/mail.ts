import { deadLetterView, feedbackView, outboxView } from '../../../../../app/operator/mail.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { errors } from '../../schemas/error.ts'
import { pageSchema } from '../../schemas/page.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { letterSchema, messageSchema, userFeedbackSchema } from '../schemas/estate.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf } from '../scope.ts'

const PATH = '/v1/operator'

/** What the service keeps instead of sending or using it, and what users wrote. protocol.md#operator-api. */
export const mailRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate } = parts.operator
  const { store } = estate

  return operatorFamily(parts, {
    bodiless(scope, refuse) {
      scope.get(
        `${PATH}/outbox`,
        {
          config: { action: 'mail.view' },
          schema: {
            summary: 'Messages that the outbox kept instead of sending, newest first',
            querystring: listQuery,
            response: { 200: pageSchema(messageSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(estate.look, request, query, 'mail.view')
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
            summary: 'Publishes that could not be processed, newest first',
            querystring: listQuery,
            response: { 200: pageSchema(letterSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          // A payload may hold a position.
          noteListLook(estate.look, request, query, 'mail.view')
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
            summary: 'What users wrote in the app, newest first',
            querystring: listQuery,
            response: { 200: pageSchema(userFeedbackSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(estate.look, request, query, 'feedback.view')
          return pageOf(await callerOf(request).inTurn(() => store.feedbackPage(query)), (one) => {
            const { appId, ...given } = feedbackView(one)
            return { applicationId: appId, ...given }
          })
        },
      )
    },
  })
}
