import { z } from 'zod'
import { readinessView } from '../../../../app/ready/readiness-view.ts'
import type { userReadiness } from '../../../../app/ready/user-readiness.ts'
import { findingCodes } from '../../../../core/readiness/findings.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import { languagesOf } from '../tracking/language.ts'

const statusSchema = z.enum(['ready', 'attention', 'not_ready']).meta({
  description: '`not_ready`: an alarm would reach nobody. `attention`: it would, but something should be fixed',
})

const findingSchema = z.object({
  code: z.enum(findingCodes),
  blocking: z.boolean().meta({ description: 'Whether an alarm would reach nobody because of it' }),
  contactId: z.uuid().optional(),
  days: z.number().int().optional(),
  percent: z.number().int().optional(),
  text: z.string().meta({ description: 'What is wrong, in the language of `Accept-Language`' }),
  remedy: z.string().meta({ description: 'What to do' }),
})

/** protocol.md#readiness. */
const readinessSchema = z
  .object({ status: statusSchema, findings: z.array(findingSchema) })
  .meta({ id: 'Readiness', description: 'Whether help would reach the user, the worst first' })

export const userReadinessSchema = z
  .object({
    userId: z.uuid(),
    applicationId: z.uuid(),
    externalUserId: z.string(),
    name: z.string().nullable(),
    phone: z.string().nullable(),
    status: statusSchema,
    findings: z.array(findingSchema),
  })
  .meta({ id: 'UserReadiness', description: 'One user, and what would prevent help' })

const ownReadiness = {
  status: 'attention',
  findings: [
    {
      code: 'contact_unverified',
      blocking: false,
      contactId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
      text: 'Ana has not confirmed yet.',
      remedy: 'Ask Ana to confirm.',
    },
  ],
}

type Needs = UserAdmission & {
  readonly userReadiness: Pick<ReturnType<typeof userReadiness>, 'ofUser'>
}

/** `GET /v1/sdk/readiness`: whether help would reach this user. protocol.md#readiness. */
export const readinessRoutes = (needs: Needs) =>
  family('PROFILE', needs, {
    bodiless(scope, refuse) {
      scope.get(
        '/v1/sdk/readiness',
        {
          schema: {
            operationId: 'getOwnReadiness',
            summary: 'Whether help would reach the user',
            description:
              'Whether help would reach the user today, and what would prevent it, the worst first, in the language of `Accept-Language`. Show it in the app before help is needed.',
            response: { 200: readinessSchema },
            examples: { answers: { 200: ownReadiness } },
          },
        },
        async (request, reply) => {
          const found = await needs.userReadiness.ofUser(sessionOf(request).userId)
          if (found === null) return refuse(reply, 'user_not_found')
          const languages = [...languagesOf(request.headers['accept-language']), found.application.language]
          return readinessView(found, languages)
        },
      )
    },
  })
