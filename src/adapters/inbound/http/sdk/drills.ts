import { z } from 'zod'
import type { ownDrill } from '../../../../app/user/own-drill.ts'
import { deliveryStatuses } from '../../../../core/incident/delivery.ts'
import type { DrillReport } from '../../../../core/incident/drill-report.ts'
import { incidentStatuses } from '../../../../core/incident/incident.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { errors } from '../schemas/error.ts'
import { idParams } from '../schemas/params.ts'
import { ANA_ID } from './examples.ts'

const PATH = '/v1/sdk/drills'

/** protocol.md#own-drills. Without the incident's own shape: nothing that shows alarms may take it for one. */
export const ownDrillSchema = z
  .object({
    id: z.uuid(),
    status: z.enum(incidentStatuses),
    overtaken: z.boolean().meta({ description: 'A real press, or a restore, ended it' }),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    contacts: z
      .array(
        z.object({
          contactId: z.uuid(),
          name: z.string(),
          channels: z
            .array(
              z.object({
                channel: z.string(),
                status: z.enum(deliveryStatuses),
                afterSeconds: z.int().min(0).nullable(),
              }),
            )
            .readonly(),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'Drill', description: 'An exercise: who would have been told, how and after how long' })

const refusals = {
  drill_not_found: { kind: 'NOT_FOUND', message: 'There is no such exercise of yours.' },
  incident_open: { kind: 'CONFLICT', message: 'An alarm is open. Practise when it is over.' },
  drill_open: { kind: 'CONFLICT', message: 'An exercise is already running. It ends by itself within 30 min.' },
  too_many_drills: {
    kind: 'RATE_LIMITED',
    message: 'Enough exercises for today. Try again tomorrow.',
    headers: { 'retry-after': '3600' },
  },
} as const satisfies Refusals

const exampleId = '0190b2f0-1a2b-7c3d-8e4f-5a6b7c8d9e0f'
const drill = {
  id: exampleId,
  status: 'active',
  overtaken: false,
  startedAt: '2026-03-01T09:10:00.000Z',
  endedAt: null,
  contacts: [{ contactId: ANA_ID, name: 'Ana', channels: [{ channel: 'sms', status: 'sent', afterSeconds: 10 }] }],
}

const viewOf = ({ incidentId, status, overtaken, startedAt, endedAt, contacts }: DrillReport) => ({
  id: incidentId,
  ...{ status, overtaken, startedAt, endedAt },
  contacts: contacts.map(({ contactId, name, channels }) => ({
    contactId,
    name,
    channels: channels.map(({ channel, status, afterSeconds }) => ({ channel, status, afterSeconds })),
  })),
})

type Needs = UserAdmission & { readonly ownDrill: ReturnType<typeof ownDrill> }

/** Exercises that users start themselves. preparing.md#drills. */
export const drillRoutes = (needs: Needs) =>
  family('DRILLS', needs, {
    refusals,

    bodiless(scope, refuse) {
      scope.post(
        PATH,
        {
          schema: {
            operationId: 'startOwnDrill',
            summary: 'Starts an exercise: nobody is told',
            description:
              'Runs the alarm of this user as far as the messages, which stay in the service: no contact, chat or webhook gets anything. Show that it is an exercise on every screen. It ends by itself after 30 min, or with a real press. 409 while an alarm or an exercise is open; 429 after 3 in 24 h, or when the application has had too many.',
            response: { 201: ownDrillSchema, ...errors(409) },
            examples: { answers: { 201: drill } },
          },
        },
        async (request, reply) => {
          const started = await needs.ownDrill.start(sessionOf(request))
          return 'refused' in started ? refuse(reply, started.refused) : reply.code(201).send(viewOf(started))
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          schema: {
            operationId: 'getOwnDrill',
            summary: 'How an exercise goes',
            description:
              'Who would have been told, how and after how long. Also of an exercise that an operator started.',
            params: idParams,
            response: { 200: ownDrillSchema, ...errors(404) },
            examples: { parameters: { id: exampleId }, answers: { 200: drill } },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'drill_not_found')
          const found = await needs.ownDrill.report(sessionOf(request), id.toLowerCase())
          return 'refused' in found ? refuse(reply, found.refused) : viewOf(found)
        },
      )

      scope.delete(
        `${PATH}/:id`,
        {
          schema: {
            operationId: 'endOwnDrill',
            summary: 'Ends an exercise that the user started',
            description: 'Ends it. Ending it twice succeeds. One that an operator started is the operator’s: 404.',
            params: idParams,
            response: { 200: ownDrillSchema, ...errors(404) },
            examples: {
              parameters: { id: exampleId },
              answers: { 200: { ...drill, status: 'resolved', endedAt: '2026-03-01T09:12:00.000Z' } },
            },
          },
        },
        async (request, reply) => {
          const { id } = request.params
          if (!isUuid(id)) return refuse(reply, 'drill_not_found')
          const ended = await needs.ownDrill.end(sessionOf(request), id.toLowerCase())
          return 'refused' in ended ? refuse(reply, ended.refused) : viewOf(ended)
        },
      )
    },
  })
