import { z } from 'zod'
import { countryPlanViewSchema } from '../../../../core/account/country-plan-schema.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { errors } from '../schemas/error.ts'

/** Not checked here: the use case judges country codes. */
const params = z.object({
  country: z.string().meta({ description: 'ISO 3166-1 alpha-2, upper or lower case', examples: ['DE'] }),
})

/** The radio settings of a tracker by country: public knowledge, so no session is needed (rules.md#country-plans). */
export const countryPlanRoutes = (parts: HttpParts) =>
  family('CONFIG', parts, {
    json(scope, refuse) {
      scope.get(
        '/config/device/:country',
        {
          schema: {
            summary: 'Device configuration and LoRa parameters for a country',
            params,
            response: { 200: countryPlanViewSchema, ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const plan = parts.countryPlan(request.params.country)
          return 'refused' in plan ? refuse(reply, plan.refused) : plan
        },
      )
    },
  })
