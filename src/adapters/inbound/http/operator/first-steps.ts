import { z } from 'zod'
import type { firstSteps } from '../../../../app/operator/first-steps.ts'
import type { simulating } from '../../../../app/operator/simulation.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { errors } from '../schemas/error.ts'
import { applicationId } from './examples.ts'

export const firstStepsSchema = z.object({
  application: z.object({ applicationId: z.uuid(), name: z.string() }).nullable(),
  contact: z
    .object({
      name: z.string(),
      externalUserId: z.string().nullable().meta({ description: 'null: the last contact of every cascade' }),
    })
    .nullable(),
  test: z.object({ at: z.iso.datetime() }).nullable().meta({ description: 'The last test message that was accepted' }),
  simulated: z.boolean(),
  maySimulate: z.boolean().meta({ description: 'No SMS or call leaves this machine' }),
  done: z.boolean().meta({ description: 'Nothing is left to do' }),
})

const refusals = {
  messages_leave: {
    kind: 'CONFLICT',
    message: 'SMS or calls leave this machine (notifications.providers), so nothing is simulated. Send a test message.',
  },
  simulation_changed: {
    kind: 'CONFLICT',
    message: 'The application Simulation was changed and could alert someone. Remove its contacts, chat and webhook.',
  },
} as const satisfies Refusals

type Needs = OperatorAdmission & {
  readonly firstSteps: ReturnType<typeof firstSteps>
  readonly simulate: ReturnType<typeof simulating>
}

const degrees = (max: number) =>
  z
    .string()
    .regex(/^-?\d{1,3}(\.\d{1,6})?$/, 'must be degrees')
    .transform(Number)
    .pipe(z.number().min(-max).max(max))
    .optional()
const placeQuerySchema = z.object({
  latitude: degrees(90).meta({ type: 'number', description: 'With `longitude`: of the site, such as 47.27' }),
  longitude: degrees(180).meta({ type: 'number', description: 'With `latitude`' }),
})
const placeOf = ({ latitude, longitude }: z.output<typeof placeQuerySchema>) =>
  latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }

/** First steps of a new site, and a simulated SOS. protocol.md#operator-api. */
export const operatorFirstStepRoutes = (needs: Needs) => {
  const { firstSteps, simulate } = needs
  return family('OPERATOR', needs, {
    refusals,

    bodiless(scope, refuse) {
      scope.get(
        '/v1/operator/first-steps',
        {
          config: { action: 'incident.simulate' },
          schema: {
            operationId: 'getFirstSteps',
            summary: 'How far the first steps are done',
            description:
              'Which of the first steps are done, by what is stored: an application, a contact, a test message that was accepted, a simulated SOS (not where messages leave), and that messages leave this machine.',
            response: { 200: firstStepsSchema },
            examples: {
              answers: {
                200: {
                  application: { applicationId, name: 'Hut' },
                  contact: { name: 'Ana Gruber', externalUserId: 'mia-7' },
                  test: null,
                  simulated: false,
                  maySimulate: true,
                  done: false,
                },
              },
            },
          },
        },
        async (request) => {
          const { test, ...steps } = await callerOf(request).inTurn(() => firstSteps())
          return { ...steps, test: test && { at: isoAt(test.at) } }
        },
      )

      scope.post(
        '/v1/operator/simulate',
        {
          config: { action: 'incident.simulate' },
          schema: {
            operationId: 'simulateSos',
            summary: 'Simulates an SOS',
            description:
              'Raises an SOS of a user called SIMULATION, with an invented position at the given place, else in the middle of the Atlantic, all the way to the outbox. Refused where SMS or calls leave this machine: a simulation reaches nobody. While it is open, another call is a further press.',
            querystring: placeQuerySchema,
            response: { 201: z.object({ incidentId: z.uuid() }), ...errors(400, 409) },
            examples: {
              parameters: { latitude: 47.27, longitude: 11.39 },
              answers: { 201: { incidentId: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0e' } },
            },
          },
        },
        async (request, reply) => {
          const simulated = await simulate(callerOf(request).by(), placeOf(request.query))
          return 'refused' in simulated ? refuse(reply, simulated.refused) : reply.code(201).send(simulated)
        },
      )
    },
  })
}
