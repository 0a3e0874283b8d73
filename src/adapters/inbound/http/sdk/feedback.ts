import { z } from 'zod'
import type { ownFeedback } from '../../../../app/user/own-feedback.ts'
import { feedbackSchema } from '../../../../core/account/feedback.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors } from '../schemas/error.ts'

const tokenSchema = z.object({ token: z.string(), expiresAt: z.iso.datetime() }).meta({ id: 'UserToken' })
const receiptSchema = z.object({ id: z.uuid(), createdAt: z.iso.datetime() }).meta({ id: 'FeedbackReceipt' })
const newFeedbackSchema = feedbackSchema.meta({ id: 'NewFeedback' })

const refusals = {
  bad_user_token: { kind: 'UNAUTHORIZED', message: 'X-User-Token must contain a valid token of this user.' },
} as const satisfies Refusals

const token = {
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl',
  expiresAt: '2026-07-04T09:30:00.000Z',
}

type Needs = UserAdmission & { readonly ownFeedback: ReturnType<typeof ownFeedback> }

/** Issues tokens for the user themselves (access.md#user-tokens). */
export const tokenRoutes = (needs: Needs) =>
  family('TOKEN', needs, {
    bodiless(scope) {
      scope.post(
        '/v1/sdk/token',
        {
          schema: {
            operationId: 'createToken',
            summary: 'Issues a short-lived token for X-User-Token',
            description: 'Issues a token for `X-User-Token`, valid for 15 min. Body and content type are ignored.',
            response: { 200: tokenSchema },
            examples: { answers: { 200: token } },
          },
        },
        (request) => needs.ownFeedback.issueToken(sessionOf(request)),
      )
    },
  })

/** In-app feedback, which needs a user token besides the user hash (access.md#user-tokens). */
export const feedbackRoutes = (needs: Needs) => {
  const { ownFeedback } = needs
  return family('FEEDBACK', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        '/v1/sdk/feedback',
        {
          schema: {
            operationId: 'sendFeedback',
            summary: 'Sends feedback to the operator',
            description:
              'Sends feedback about the app to the operator. Requires a token from `POST /v1/sdk/token` in addition to the three headers.',
            security: [{ appId: [], userId: [], userHash: [], userToken: [] }],
            body: newFeedbackSchema,
            response: { 201: receiptSchema, ...bodyErrors },
            examples: {
              body: { message: 'The map is hard to read in the sun.', category: 'map', rating: 4 },
              answers: { 201: { id: '0190b301-2f6a-7c90-9e1d-4a5b6c7d8e9f', createdAt: '2026-07-04T10:02:11.000Z' } },
            },
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
