import { z } from 'zod'
import type { Drills } from '../../../../app/operator/drills.ts'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import { isExternalUserId } from '../../../../core/account/mqtt-username.ts'
import { channels, deliveryStatuses } from '../../../../core/incident/delivery.ts'
import { incidentStatuses } from '../../../../core/incident/incident.ts'
import { DRILL_COUNTS_MS } from '../../../../core/readiness/findings.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { limitField } from '../schemas/page.ts'
import { idParams } from '../schemas/params.ts'
import { applicationId, exampleTime, userId } from './examples.ts'
import { applicationIdOf } from './scope.ts'

const PATH = '/v1/operator/drills'

const instant = z.iso.datetime()
const seconds = z.int().min(0).nullable()
const who = { userId: z.uuid(), externalUserId: z.string() }
/** The users of a start or an end. Without `user`: every enabled user of the application, at most 100. */
const given = {
  app: z.uuid().meta({ description: 'The application' }),
  user: z
    .string()
    .refine(isExternalUserId, 'must be the external id of a user')
    .optional()
    .meta({ description: 'The external id of one user; otherwise all' }),
}

const drillStartSchema = z.strictObject({
  ...given,
  contacts: z.boolean().default(false).meta({
    description: 'SMS and calls go to the contacts; otherwise they stay in the outbox',
  }),
})
const drillEndSchema = z.strictObject(given)

const one = z.object({ ...who, incidentId: z.uuid() })
export const drillsStartedSchema = z.object({
  started: z.array(one).readonly(),
  passedOver: z
    .array(z.object({ ...who, reason: z.enum(['incident_open', 'drill_open', 'too_many_drills', 'drilled_lately']) }))
    .readonly(),
})
export const drillsEndedSchema = z.object({ ended: z.array(one).readonly() })

const way = z.object({
  channel: z.enum(channels),
  status: z.enum(deliveryStatuses),
  error: z.string().nullable(),
  provider: z.string().nullable(),
  afterSeconds: seconds,
})

export const drillReportSchema = z
  .object({
    incidentId: z.uuid(),
    applicationId: z.uuid(),
    ...who,
    toContacts: z.boolean(),
    own: z.literal(true).optional().meta({ description: 'The user started it, to practise: nobody was told' }),
    overtaken: z.boolean().meta({ description: 'A press of the user, or a restore, ended it' }),
    status: z.enum(incidentStatuses),
    startedAt: instant,
    endedAt: instant.nullable(),
    firstAnswerSeconds: seconds,
    contacts: z
      .array(
        z.object({
          contactId: z.uuid(),
          name: z.string(),
          answer: z.enum(['helping', 'coming', 'calling', 'unable']).nullable(),
          afterSeconds: seconds,
          channels: z.array(way).readonly(),
        }),
      )
      .readonly(),
    integrations: z.array(way).readonly(),
    failed: z.int().min(0).meta({ description: 'Ways that failed' }),
  })
  .meta({ id: 'DrillReport', description: 'Who answered an exercise after how long, and what failed' })

const drillListSchema = z.object({ items: z.array(drillReportSchema).readonly() })

const drillQuery = z.object({
  app: z.uuid().meta({ description: 'The application' }),
  user: given.user.meta({ description: 'The external id of one user; otherwise of all' }),
  since: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({
      type: 'string',
      format: 'date-time',
      description: 'Started then or later; by default in the last 90 days',
    }),
  limit: limitField(100),
})

const refusals = {
  drill_not_found: { kind: 'NOT_FOUND', message: 'There is no such exercise.' },
  no_users: { kind: 'CONFLICT', message: 'The application has no enabled user.' },
  too_many_users: {
    kind: 'CONFLICT',
    message: 'The application has more than 100 users. Name one with `user`.',
  },
  application_disabled: { kind: 'CONFLICT', message: 'The application is disabled. Enable it first.' },
} as const satisfies Refusals

const incidentId = '0197f6a2-77b0-7c11-9a55-1f2e3d4c5b6a'
const mia = { userId, externalUserId: 'mia-7' }

const report = {
  incidentId,
  applicationId,
  ...mia,
  toContacts: true,
  overtaken: false,
  status: 'acknowledged',
  startedAt: exampleTime,
  endedAt: null,
  firstAnswerSeconds: 48,
  contacts: [
    {
      contactId: '0197f6a0-9b8c-7d6e-8f50-a1b2c3d4e5f6',
      name: 'Ana Berger',
      answer: 'coming',
      afterSeconds: 48,
      channels: [{ channel: 'sms', status: 'delivered', error: null, provider: 'twilio', afterSeconds: 14 }],
    },
  ],
  integrations: [{ channel: 'chat', status: 'sent', error: null, provider: null, afterSeconds: 11 }],
  failed: 0,
}

type Needs = OperatorAdmission & { readonly drills: Drills; readonly noteLook: NoteLook }

/** Exercises: started, ended, and how they went. protocol.md#operator-api. */
export const operatorDrillRoutes = (needs: Needs) => {
  const { drills, noteLook } = needs
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.post(
        PATH,
        {
          config: { action: 'drill.start' },
          schema: {
            operationId: 'startDrills',
            summary: 'Starts an exercise for one user or for all of an application',
            description:
              'A drill is an incident that says *EXERCISE* in every text and is never mixed up with a real one. Without `user`: one for each enabled user of the application, at most 100 (409 `too_many_users`). `passedOver`: who has an incident or a drill open, whose contacts had a drill within the hour (with `contacts`), or for whom the application has had too many today.',
            body: drillStartSchema,
            response: { 201: drillsStartedSchema, ...bodyErrors, ...errors(404, 409) },
            examples: {
              body: { app: applicationId, user: 'mia-7', contacts: true },
              answers: { 201: { started: [{ ...mia, incidentId }], passedOver: [] } },
            },
          },
        },
        async (request, reply) => {
          const { app, user = null, contacts } = request.body
          const appId = applicationIdOf(request, app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const caller = callerOf(request)
          const started = await caller.inTurn(() =>
            drills.start(appId, { externalUserId: user, toContacts: contacts }, caller.by()),
          )
          return 'refused' in started ? refuse(reply, started.refused) : reply.code(201).send(started)
        },
      )

      scope.post(
        `${PATH}/end`,
        {
          config: { action: 'drill.end' },
          schema: {
            operationId: 'endDrills',
            summary: 'Ends the open exercises of an application, or of one of its users',
            description:
              'Everyone who was alerted is told that the exercise is over. A drill ends automatically after 30 minutes.',
            body: drillEndSchema,
            response: { 200: drillsEndedSchema, ...bodyErrors, ...errors(404) },
            examples: {
              body: { app: applicationId, user: 'mia-7' },
              answers: { 200: { ended: [{ ...mia, incidentId }] } },
            },
          },
        },
        async (request, reply) => {
          const { app, user = null } = request.body
          const appId = applicationIdOf(request, app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const caller = callerOf(request)
          return { ended: await caller.inTurn(() => drills.end(appId, user, caller.by())) }
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'drill.view' },
          schema: {
            operationId: 'listDrills',
            summary: 'How the exercises of an application went, newest first',
            description:
              'The newest 100, or `limit`, of the last 90 days unless `since` says otherwise; with `user`, of that user alone.',
            querystring: drillQuery,
            response: { 200: drillListSchema, ...errors(400, 404) },
            examples: {
              parameters: { app: applicationId, user: 'mia-7', since: '2026-05-01T00:00:00Z', limit: 5 },
              answers: { 200: { items: [report] } },
            },
          },
        },
        async (request, reply) => {
          const appId = applicationIdOf(request, request.query.app)
          if (appId === null) return refuse(reply, 'application_not_found')
          const { actor, address, by, inTurn } = callerOf(request)
          noteLook({ actor, address, action: 'drill.view', appId, userId: null, subject: null })
          const { user, since = by().now - DRILL_COUNTS_MS, limit } = request.query
          const items = await inTurn(() =>
            user === undefined ? drills.reports(appId, since, limit) : drills.userReports(appId, user, since, limit),
          )
          return items === null ? refuse(reply, 'user_not_found') : { items }
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'drill.view' },
          schema: {
            operationId: 'getDrill',
            summary: 'How one exercise went',
            description: 'Who answered after how long, and what failed, by contact and channel.',
            params: idParams,
            response: { 200: drillReportSchema, ...errors(404) },
            examples: { parameters: { id: incidentId }, answers: { 200: report } },
          },
        },
        async (request, reply) => {
          const { actor, address, may, inTurn } = callerOf(request)
          const report = await inTurn(() => drills.report(request.params.id.toLowerCase()))
          if (report === null || !may(report.applicationId)) return refuse(reply, 'drill_not_found')
          const { applicationId: appId, userId, incidentId: subject } = report
          noteLook({ actor, address, action: 'drill.view', appId, userId, subject })
          return report
        },
      )
    },
  })
}
