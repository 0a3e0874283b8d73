import { readinessView } from '../../../../app/ready/readiness-view.ts'
import { sessionOf } from '../admission/session.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { readinessSchema } from '../schemas/readiness.ts'
import { languagesOf } from '../tracking/language.ts'

/** `GET /v1/sdk/readiness`: whether help would reach this user. protocol.md#readiness. */
export const ownReadinessRoutes = (parts: HttpParts) =>
  family('PROFILE', parts, {
    bodiless(scope, refuse) {
      scope.get(
        '/v1/sdk/readiness',
        { schema: { summary: 'Whether help would reach the user', response: { 200: readinessSchema } } },
        async (request, reply) => {
          const found = await parts.userReadiness.ofUser(sessionOf(request).userId)
          if (found === null) return refuse(reply, 'user_not_found')
          const languages = [...languagesOf(request.headers['accept-language']), found.application.language]
          return readinessView(found, languages)
        },
      )
    },
  })
