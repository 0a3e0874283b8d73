import { z } from 'zod'
import { removeActuator, setActuator } from '../../../../app/operator/actuators.ts'
import type { SiteDefaults } from '../../../../app/operator/application-view.ts'
import type { sendingTests } from '../../../../app/operator/test-message.ts'
import { actuatorTypes } from '../../../../core/account/actuator-types.ts'
import { languageField } from '../../../../core/account/contact-schema.ts'
import { emailField, phoneField } from '../../../../core/account/profile-schema.ts'
import { settingsSchema } from '../../../../core/account/settings-schema.ts'
import type { Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { later, type Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { applicationSchema, shownApplication } from './applications.ts'
import { application, applicationId } from './examples.ts'
import { applicationFor, applicationIdOf, asGiven } from './scope.ts'

const PATH = '/v1/operator/applications/:id'

const actuatorParams = z.object({ id: z.string(), type: z.enum(actuatorTypes) })
const actuatorSet = z.strictObject({
  url: z.string().max(2048).optional().meta({ description: 'chat, webhook: where to post to' }),
  format: z.string().max(20).optional().meta({ description: 'chat: text, slack, mattermost, …' }),
  secret: z.string().max(256).nullable().optional().meta({ description: 'webhook: signs each request; null: none' }),
  httpUrl: z
    .string()
    .max(2048)
    .nullable()
    .optional()
    .meta({ description: 'emergency_contacts: a gateway; null: none' }),
  settings: settingsSchema.partial().optional().meta({ description: 'Merged into those of the application' }),
})

const testGiven = z
  .strictObject({
    channel: z.enum(['sms', 'voice', 'http', 'chat', 'webhook', 'email']),
    to: z.union([phoneField, emailField]).optional().meta({ description: 'A number, for `email` an address' }),
    language: languageField.optional(),
  })
  .refine(({ channel, to }) => to === undefined || (channel === 'email') === to.includes('@'), {
    path: ['to'],
    message: 'must be an E.164 number, or an address for `email`',
  })
export const testedSchema = z.object({
  channel: z.string(),
  status: z.enum(['sent', 'delivered', 'failed', 'unknown']),
  provider: z.string().nullable(),
  providerRef: z.string().nullable(),
  error: z.string().nullable().meta({ description: 'Why it failed, or why it is unknown whether it was sent' }),
  warnings: z.array(z.string()).readonly(),
})

const refusals = {
  url_missing: { kind: 'VALIDATION', message: '`url` is required: where to post to.' },
  invalid_target: { kind: 'VALIDATION', message: 'The target cannot be used.' },
  private_target: {
    kind: 'VALIDATION',
    message:
      'The address is private, loopback or link-local. Hosts in the local network can be allowed (notifications.lanHosts).',
  },
  no_target: {
    kind: 'CONFLICT',
    message: 'There is no address for this channel. Set the actuator first; for `email`, smtp.url.',
  },
  number_needed: { kind: 'VALIDATION', message: '`to` is required: the number or address to send the test to.' },
  number_unused: { kind: 'VALIDATION', message: '`to` cannot be used: this channel has its own address.' },
} as const satisfies Refusals

const one = { id: applicationId }

type Needs = OperatorAdmission &
  Parameters<typeof setActuator>[0] & {
    readonly store: Pick<Store, 'application'>
    readonly sendTest: ReturnType<typeof sendingTests>
    readonly defaults: SiteDefaults
  }

/** The channels by which an application raises alarms, and a test of each. protocol.md#operator-api. */
export const operatorActuatorRoutes = (needs: Needs) => {
  const { store } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.put(
        `${PATH}/actuators/:type`,
        {
          config: { action: 'actuator.change' },
          schema: {
            operationId: 'setActuator',
            summary: 'Adds an actuator, or changes the given fields of one',
            description:
              'Adds an actuator, or changes the given fields of one: the others stay as they are. Secrets are never shown again.',
            params: actuatorParams,
            body: actuatorSet,
            response: { 200: applicationSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: { ...one, type: 'webhook' },
              body: { url: 'https://dispatch.example.org/sos', settings: { httpAttempts: 5 } },
              answers: { 200: application },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { settings = {}, ...target } = request.body
          const { type } = request.params
          const changed = await setActuator(
            needs,
            application,
            type,
            { target, settings: asGiven(settings) },
            callerOf(request).by(),
          )
          if (!('refused' in changed)) return shownApplication(changed, needs, callerOf(request))
          if (changed.refused !== 'invalid_target') return refuse(reply, changed.refused)
          const { path, message } = changed.issue
          return refuse(reply, changed.refused, { fields: [{ field: path.join('.') || 'body', message }] })
        },
      )

      scope.post(
        `${PATH}/test`,
        {
          config: { action: 'actuator.test' },
          schema: {
            operationId: 'sendTestMessage',
            summary: 'Sends a message that says it is a test',
            description:
              'Sends a real message that says it is a test, over the channel an alarm would take. At most 10 in ten minutes for an application; each is noted in the audit log.',
            params: idParams,
            body: testGiven,
            response: { 200: testedSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              parameters: one,
              body: { channel: 'sms', to: '+436601234567', language: 'de' },
              answers: {
                200: {
                  channel: 'sms',
                  status: 'sent',
                  provider: 'twilio',
                  providerRef: 'SM0001',
                  error: null,
                  warnings: [],
                },
              },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const tested = await needs.sendTest(application, asGiven(request.body), callerOf(request).by())
          return 'refused' in tested ? refuse(reply, tested.refused, later(tested)) : tested
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        `${PATH}/actuators/:type`,
        {
          config: { action: 'actuator.change' },
          schema: {
            operationId: 'removeActuator',
            summary: 'Removes an actuator',
            description: 'Removes an actuator. Settings of the application stay.',
            params: actuatorParams,
            response: { 200: applicationSchema, ...errors(404) },
            examples: { parameters: { ...one, type: 'chat' }, answers: { 200: application } },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const changed = await removeActuator(needs, appId, request.params.type, callerOf(request).by())
          return 'refused' in changed
            ? refuse(reply, changed.refused)
            : shownApplication(changed, needs, callerOf(request))
        },
      )
    },
  })
}
