import { z } from 'zod'
import { applicationView, type SiteDefaults, withoutTargets } from '../../../../app/operator/application-view.ts'
import { addSecret, createApplication, retireSecret, updateApplication } from '../../../../app/operator/applications.ts'
import type { Application } from '../../../../core/account/application.ts'
import {
  allowedPrefixesSchema,
  mapLinkField,
  originField,
  relayRules,
  timeZoneField,
} from '../../../../core/account/application.ts'
import { languageField } from '../../../../core/account/contact-schema.ts'
import { nameField, phoneField } from '../../../../core/account/profile-schema.ts'
import { silentAfterMinutesField } from '../../../../core/account/silence.ts'
import { withWebApp } from '../../../../core/account/web-app.ts'
import { mayDo } from '../../../../core/operator/role.ts'
import type { Store } from '../../../../ports/store.ts'
import { type Caller, callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { application, applicationId } from './examples.ts'
import { applicationFor, applicationIdOf, asGiven } from './scope.ts'
import { ofApp, webAppGiven, webAppSchema } from './web-app-shapes.ts'

const PATH = '/v1/operator/applications'

const moment = z.iso.datetime()
const prefixes = z.array(allowedPrefixesSchema.element).max(100).readonly()
const contact = z.strictObject({ name: nameField, phone: phoneField })
const isGiven = (body: object): boolean => Object.keys(body).length > 0
const NOTHING = 'must name something to change'

const applicationCreate = z.strictObject({
  name: nameField,
  language: languageField.default('en'),
  legacy: z.boolean().default(false),
  allowedPrefixes: prefixes.default([]),
  timeZone: timeZoneField.nullable().default(null).meta({ description: 'null: as the machine' }),
  verifyContacts: z.boolean().default(true).meta({ description: 'Whether new contacts are asked to confirm' }),
})
const applicationUpdate = z
  .strictObject({
    name: nameField,
    language: languageField,
    legacy: z.boolean(),
    disabled: z.boolean(),
    allowedPrefixes: prefixes,
    timeZone: timeZoneField.nullable(),
    corsOrigins: z.array(originField).max(100).readonly(),
    fallbackContact: contact.nullable(),
    silentAfterMinutes: silentAfterMinutesField.meta({ description: 'Devices: 0 is off, or 15 to 43200' }),
    verifyContacts: z.boolean().meta({ description: 'Whether new contacts are asked to confirm' }),
    silentByDefault: z.boolean().meta({ description: 'Every new SOS is a silent emergency' }),
    relays: z.enum(relayRules).meta({ description: 'Which users may send for the trackers of others' }),
    mapLink: mapLinkField.nullable().meta({ description: 'Where a tap on a position leads, with {lat} and {lon}' }),
    webApp: webAppGiven.meta({ description: 'The app in the box; what is not given stays' }),
    smsSos: z.boolean().meta({ description: 'Whether a text to the service raises an SOS' }),
    smsNumber: phoneField.nullable().meta({ description: 'The number that its users text' }),
  })
  .partial()
  .refine(isGiven, NOTHING)

export const applicationSchema = z
  .object({
    applicationId: z.uuid(),
    name: z.string(),
    language: z.string(),
    legacy: z.boolean(),
    disabled: z.boolean(),
    createdAt: moment,
    actuators: z.record(z.string(), z.looseObject({})).meta({ description: 'Without secrets' }),
    allowedPrefixes: z.array(z.string()).readonly(),
    timeZone: z.string(),
    corsOrigins: z.array(z.string()).readonly(),
    fallbackContact: contact.nullable(),
    silentAfterMinutes: z.int().meta({ description: 'After how long a device counts as silent; 0 is off' }),
    verifyContacts: z.boolean().meta({ description: 'Whether new contacts are asked to confirm' }),
    silentByDefault: z.boolean().meta({ description: 'Every new SOS is a silent emergency' }),
    relays: z.enum(relayRules).meta({ description: 'Which users may send for the trackers of others' }),
    mapLink: z.string().nullable().meta({ description: 'Null: the built-in map' }),
    webApp: webAppSchema,
    smsSos: z.boolean().meta({ description: 'Whether a text to the service raises an SOS' }),
    smsNumber: z.string().nullable().meta({ description: 'The number that its users text' }),
    texts: z.looseObject({}),
    settings: z.looseObject({}).meta({ description: 'In force' }),
    ownSettings: z.looseObject({}).meta({ description: 'Of them, those set for this application' }),
  })
  .meta({ id: 'OperatorApplication', description: 'An application' })
const createdSchema = applicationSchema.extend({
  secret: z.string().meta({ description: 'Shown once. For the backend, never for an app' }),
})
const secretSchema = z.object({
  applicationId: z.uuid(),
  secret: z.string().meta({ description: 'Shown once' }),
})

const refusals = {
  two_secrets_already: {
    kind: 'CONFLICT',
    message: 'Two secrets are already valid. Retire the older one first, once nothing uses it any more.',
  },
  only_one_secret: {
    kind: 'CONFLICT',
    message: 'Only one secret is valid, and retiring it would lock everyone out. Add another one first.',
  },
} as const satisfies Refusals

const one = { id: applicationId }

type Needs = OperatorAdmission &
  Parameters<typeof createApplication>[0] &
  Parameters<typeof updateApplication>[0] & {
    readonly store: Pick<Store, 'application' | 'applications'>
    readonly defaults: SiteDefaults
    /** The calling code of a country, such as +43. */
    readonly callingCodeOf: (country: string) => string | null
    /** Closes the connections that are no longer admitted, on this node: other nodes have a notice. */
    readonly endSessions: (appId: string) => void
  }

/** An application as the API shows it to this caller: never a secret. */
export function shownApplication(
  application: Application,
  { defaults }: Pick<Needs, 'defaults'>,
  { grant }: Pick<Caller, 'grant'>,
) {
  const { appId, actuators, ...view } = applicationView(application, defaults)
  const mayChange = mayDo(grant, 'actuator.change', appId)
  return { applicationId: appId, ...view, actuators: mayChange ? actuators : withoutTargets(actuators) }
}

/** Applications and their secrets. protocol.md#operator-api. */
export const operatorApplicationRoutes = (needs: Needs) => {
  const { store } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'application.create' },
          schema: {
            operationId: 'createApplication',
            summary: 'Adds an application',
            description:
              'Adds an application that alarms emergency contacts. Its first secret is in the answer, and is never shown again.',
            body: applicationCreate,
            response: { 201: createdSchema, ...bodyErrors },
            examples: {
              body: { name: 'Hut', language: 'de', allowedPrefixes: ['+43'], timeZone: 'Europe/Vienna' },
              answers: { 201: { ...application, secret: '(shown once)' } },
            },
          },
        },
        async (request, reply) => {
          const { application, secret } = await createApplication(needs, request.body, callerOf(request).by())
          return reply.code(201).send({ ...shownApplication(application, needs, callerOf(request)), secret })
        },
      )

      scope.patch(
        `${PATH}/:id`,
        {
          config: { action: 'application.change' },
          schema: {
            operationId: 'updateApplication',
            summary: 'Changes an application',
            description:
              'Changes the fields that are given. `disabled: true` closes the connections of its users within 2 s and admits none; `fallbackContact: null` removes it.',
            params: idParams,
            body: applicationUpdate,
            response: { 200: applicationSchema, ...bodyErrors, ...errors(404) },
            examples: {
              parameters: one,
              body: { name: 'Alpine hut', fallbackContact: { name: 'Rescue centre', phone: '+43512000000' } },
              answers: { 200: { ...application, name: 'Alpine hut' } },
            },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          if (application === null) return refuse(reply, 'application_not_found')
          const { corsOrigins, webApp, ...body } = asGiven(request.body)
          const update = {
            ...(webApp !== undefined && withWebApp(application, ofApp(webApp), needs.callingCodeOf)),
            ...body,
            ...(corsOrigins && { corsOrigins: [...new Set(corsOrigins)] }),
          }
          const updated = await updateApplication(needs, application.id, update, callerOf(request).by())
          if ('refused' in updated) return refuse(reply, updated.refused)
          return shownApplication(updated, needs, callerOf(request))
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'application.view' },
          schema: {
            operationId: 'listApplications',
            summary: 'Lists the applications',
            description:
              'The applications that the caller works for. Passwords in addresses, and secrets, are never shown.',
            response: { 200: z.object({ items: z.array(applicationSchema) }) },
            examples: { answers: { 200: { items: [application] } } },
          },
        },
        async (request) => {
          const caller = callerOf(request)
          const all = await caller.inTurn(() => needs.store.applications())
          return { items: all.filter(({ id }) => caller.may(id)).map((one) => shownApplication(one, needs, caller)) }
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'application.view' },
          schema: {
            operationId: 'getApplication',
            summary: 'One application',
            description: 'An application with the settings in force, and which of them were set for it.',
            params: idParams,
            response: { 200: applicationSchema, ...errors(404) },
            examples: { parameters: one, answers: { 200: application } },
          },
        },
        async (request, reply) => {
          const application = await applicationFor(store, request, request.params.id)
          return application === null
            ? refuse(reply, 'application_not_found')
            : shownApplication(application, needs, callerOf(request))
        },
      )

      scope.post(
        `${PATH}/:id/secrets`,
        {
          config: { action: 'application.secret' },
          schema: {
            operationId: 'addApplicationSecret',
            summary: 'Adds a second valid secret',
            description: 'Adds a second valid secret, so that the backend can change over. It is shown once.',
            params: idParams,
            response: { 201: secretSchema, ...errors(404, 409) },
            examples: { parameters: one, answers: { 201: { applicationId, secret: '(shown once)' } } },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const added = await addSecret(needs, appId, callerOf(request).by())
          if ('refused' in added) return refuse(reply, added.refused)
          return reply.code(201).send({ applicationId: appId, secret: added.secret })
        },
      )

      scope.delete(
        `${PATH}/:id/secrets/older`,
        {
          config: { action: 'application.secret' },
          schema: {
            operationId: 'retireApplicationSecret',
            summary: 'Retires the older of two secrets',
            description: 'Retires the older of two secrets and closes the connections that it admitted.',
            params: idParams,
            response: { 204: z.null(), ...errors(404, 409) },
            examples: { parameters: one },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.params.id)
          if (appId === null) return refuse(reply, 'application_not_found')
          const retired = await retireSecret(needs, appId, callerOf(request).by())
          if ('refused' in retired) return refuse(reply, retired.refused)
          needs.endSessions(appId)
          return reply.code(204).send(null)
        },
      )
    },
  })
}
