import { z } from 'zod'
import { sessionOf } from '../admission/session.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'

const tokenSchema = z.object({ token: z.string(), expiresAt: z.iso.datetime() })

/** Issues tokens for the user themselves (rules.md#user-tokens). */
export const tokenRoutes = (parts: HttpParts) =>
  family('TOKEN', parts, {
    bodiless(scope) {
      scope.post(
        '/v1/sdk/token',
        { schema: { summary: 'Issues a short-lived token for X-User-Token', response: { 200: tokenSchema } } },
        (request) => parts.ownFeedback.issueToken(sessionOf(request)),
      )
    },
  })
