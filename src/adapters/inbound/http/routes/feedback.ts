import { z } from 'zod'
import { feedbackSchema } from '../../../../core/account/feedback.ts'
import { sessionOf } from '../admission/session.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { bodyErrors } from '../schemas/error.ts'

const receiptSchema = z.object({ id: z.uuid(), createdAt: z.iso.datetime() })

/** In-app feedback, which needs a user token besides the user hash (rules.md#user-tokens). */
export const feedbackRoutes = (parts: HttpParts) => {
  const { ownFeedback } = parts
  return family('FEEDBACK', parts, {
    json(scope, refuse) {
      scope.post(
        '/v1/sdk/feedback',
        {
          schema: {
            summary: 'Sends feedback to the operator',
            security: [{ appId: [], userId: [], userHash: [], userToken: [] }],
            body: feedbackSchema,
            response: { 201: receiptSchema, ...bodyErrors },
          },
          // Before the body is read, like the session.
          onRequest: async (request, reply) => {
            const token = request.headers['x-user-token']
            const accepted = await ownFeedback.accepts(sessionOf(request), typeof token === 'string' ? token : null)
            if (!accepted) return refuse(reply, 'bad_user_token')
          },
        },
        async (request, reply) => reply.code(201).send(await ownFeedback.submit(sessionOf(request), request.body)),
      )
    },
  })
}
