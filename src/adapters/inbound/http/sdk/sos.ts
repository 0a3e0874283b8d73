import { z } from 'zod'
import type { raiseSos } from '../../../../app/ingest/raise-sos.ts'
import type { Ended, ownIncident } from '../../../../app/user/own-incident.ts'
import type { Session } from '../../../../core/account/session.ts'
import { endNameOf } from '../../../../core/incident/end-name.ts'
import { type IncidentView, itemWithoutPlaces, withoutPlaces } from '../../../../core/incident/event.ts'
import { payloadFields } from '../../../../core/ingest/payload.ts'
import { waitedSince } from '../../../../lib/waited.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import type { PageSender } from '../answers/send-page.ts'
import { bodyBytes, jsonIn } from '../bodies/json-body.ts'
import { userTurns } from '../bodies/user-turns.ts'
import { asSent, jsonObject } from '../bodies/validation.ts'
import { family } from '../family.ts'
import { firstByteOf, withdrawalOf } from '../listener/client.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { pageQueryOf, pageQuerySchema, pageSchema } from '../schemas/page.ts'
import { ANA_ID, APP_ID, INCIDENT_ID, itemsExample, pageExample, USER_ID } from './examples.ts'
import { historyItemSchema } from './history-item.ts'
import { incidentSchema, instantSchema, trailField } from './incident.ts'
import { alertSchema } from './payload.ts'

const PATH = '/v1/sdk/sos'

const openIncidentSchema = z
  .object({ incident: incidentSchema.nullable() })
  .meta({ id: 'OpenSos', description: 'The open incident, or null when there is none' })

const putOffSchema = z.object({ until: instantSchema }).meta({ id: 'PutOff' })

const updatedSchema = z
  .object({
    incident: incidentSchema.nullable(),
    putOff: putOffSchema.optional().meta({
      description: 'No hand makes these presses, and an operator has ended the alarm: until then they alarm nobody',
    }),
  })
  .meta({
    id: 'RaisedSos',
    description: 'The open incident; null for a repeat of a closed one, and while presses are put off',
  })

/** The body of an end, under any content type. */
const endSchema = z
  .looseObject({
    incidentId: z.uuid().nullish().meta({ description: 'Ends this incident of the user, or none' }),
    alert: z
      .looseObject({
        deviceId: payloadFields.deviceId.schema.nullish(),
        timestamp: payloadFields.timestamp.schema.nullish(),
        occurredAt: payloadFields.occurredAt.schema.nullish(),
      })
      .nullish()
      .meta({
        description:
          'The press, as it was sent: ends the incident that it opened or joined, unless one of the user’s own sources has pressed since',
      }),
  })
  .nullish()
  .meta({
    id: 'SosEnd',
    description:
      'Which alarm it ends. With both, `incidentId` counts. Anything else, or nothing, is an end without a name, which is carried out within 5 s or not at all',
  })
const endedSchema = z
  .object({
    incident: incidentSchema.nullable(),
    ended: z
      .boolean()
      .optional()
      .meta({ description: 'Of an end that names its alarm: whether that is over now, whoever ended it' }),
  })
  .meta({ id: 'EndedSos', description: 'What is open now, or null when nothing is' })

const historySchema = pageSchema(historyItemSchema).meta({ id: 'HistoryPage' })

const refusals = {
  not_in_time: {
    kind: 'UNAVAILABLE',
    message:
      'The request came too late to be carried out, or its client had gone. Nothing was ended. Please try again.',
    headers: { 'retry-after': '1' },
  },
} as const satisfies Refusals

const OPENED_AT = '2026-07-04T09:12:33.104Z'
const PRESSED_AT = '2026-07-04T09:12:31.482915Z'
const alert = {
  timestamp: PRESSED_AT,
  latitude: 47.0742,
  longitude: 12.6939,
  altitude: 2890,
  mobileBattery: 64,
  mobileCoverage: { networkType: 'LTE', isConnected: true },
}
const position = { latitude: 47.0742, longitude: 12.6939, altitude: 2890, at: PRESSED_AT }
/** Right after the alert: the plan. */
const incident = {
  appId: APP_ID,
  userId: USER_ID,
  incidentId: INCIDENT_ID,
  status: 'active',
  occurredAt: PRESSED_AT,
  openedAt: OPENED_AT,
  updatedAt: OPENED_AT,
  acknowledgedAt: null,
  cancelledAt: null,
  resolvedAt: null,
  acknowledgedBy: null,
  snapshotVersion: 1,
  actuators: {
    snapshotVersion: 1,
    items: [
      {
        id: 'emergency_contacts',
        type: 'emergency_contacts',
        status: 'scheduled',
        outcome: 'pending',
        contacts: [
          {
            contactId: ANA_ID,
            name: 'Ana',
            priority: 1,
            status: 'scheduled',
            channels: [
              { channel: 'sms', status: 'scheduled' },
              { channel: 'voice', status: 'scheduled' },
            ],
          },
        ],
      },
    ],
  },
  lastPosition: position,
  relay: null,
}
const past = {
  ...incident,
  creationTelemetry: { ...alert, receivedAt: OPENED_AT },
  positionTrail: [position],
}

const closings = [
  {
    closing: 'cancel',
    operationId: 'cancelSos',
    summary: 'Cancels the open incident',
    description:
      'Cancels the user’s open incident. Within the grace window, nobody is notified; after it, everyone who was notified is told that the user ended it. Succeeds when no incident is open, so a retry cannot fail. Name the alarm that it ends: without a name, an end that waited for more than 5 s is answered 503 and ends nothing.',
  },
  {
    closing: 'resolve',
    operationId: 'resolveSos',
    summary: 'Resolves the open incident',
    description:
      'Ends the open incident: the emergency is over. Succeeds when no incident is open, so a retry cannot fail. The body names the alarm, as in `cancel`.',
  },
] as const

/** The incident as it is shown to the session. */
const shownTo = ({ appDeviceId }: Session, incident: IncidentView | null): IncidentView | null =>
  incident === null || appDeviceId === undefined ? incident : withoutPlaces(incident)

type Needs = UserAdmission & {
  readonly clock: Pick<Clock, 'now'>
  readonly ownIncident: ReturnType<typeof ownIncident>
  readonly raiseSos: ReturnType<typeof raiseSos>
  readonly pages: PageSender
}

/** Raising, reading and closing the user's own SOS incident (protocol.md#rest). */
export const sosRoutes = (needs: Needs) => {
  const { clock, ownIncident, raiseSos, pages } = needs
  return family('SOS', needs, {
    refusals,

    json(scope, refuse) {
      const turn = userTurns(scope)

      scope.post(
        PATH,
        {
          config: { unlimited: true },
          validatorCompiler: jsonObject,
          schema: {
            operationId: 'raiseSos',
            summary: 'Raises an alarm: opens an incident (201), or updates the open one (200)',
            description:
              'Raises an alarm over HTTP, with the same payload as the MQTT publish. 201 with the planned attempts when it opened an incident; 200 when an incident was already open or the alert is a repeat. 2xx means that the alert is on disk. Never rate limited. Without a 2xx, send it again: the same alert twice counts as one.',
            body: alertSchema,
            response: { 201: openIncidentSchema, 200: updatedSchema, ...bodyErrors },
            examples: { body: alert, answers: { 201: { incident }, 200: { incident } } },
          },
        },
        async (request, reply) => {
          const session = sessionOf(request)
          const raised = await raiseSos(session, request.body)
          if ('refused' in raised) return refuse(reply, raised.refused)
          // A commit holds up to eight alerts of one user, and each answer takes longer than its commit.
          await turn(request)
          const { opened, putOff } = raised
          const incident = shownTo(session, raised.incident)
          return reply.code(opened ? 201 : 200).send({ incident, ...(putOff && { putOff }) })
        },
      )

      scope.get(
        PATH,
        {
          schema: {
            operationId: 'getOpenSos',
            summary: 'The open incident with its live snapshot, or null',
            description:
              'The open incident with its live snapshot, or `null`. Read it after every reconnect: missed events are not sent again.',
            response: { 200: openIncidentSchema },
            examples: { answers: { 200: { incident } } },
          },
        },
        async (request) => {
          const session = sessionOf(request)
          return { incident: shownTo(session, await ownIncident.read(session)) }
        },
      )

      scope.get(
        `${PATH}/history`,
        {
          schema: {
            operationId: 'listSosHistory',
            summary: 'Lists the user’s incidents, newest first',
            description:
              'Every incident of the user, including the open one, newest first. Each has its last snapshot, the alert that opened it and its latest 1,000 positions. Pages can be large, so a user can read only one at a time.',
            querystring: pageQuerySchema.extend({ trail: trailField }),
            response: { 200: historySchema, ...errors(400) },
            examples: { parameters: { ...pageExample, trail: 'off' }, answers: { 200: itemsExample(past) } },
          },
        },
        async (request, reply) => {
          const session = sessionOf(request)
          const sent = await pages.send(reply, {
            userId: session.userId,
            query: pageQueryOf(request.query),
            async read(part) {
              const page = await ownIncident.history(session, { ...part, hasTrails: request.query.trail !== 'off' })
              if ('refused' in page || session.appDeviceId === undefined) return page
              return { ...page, items: page.items.map(itemWithoutPlaces) }
            },
            atOnce: 1,
          })
          return 'refused' in sent ? refuse(reply, sent.refused) : sent
        },
      )
    },

    anyBody(scope, refuse) {
      for (const { closing, ...said } of closings) {
        scope.post(
          `${PATH}/${closing}`,
          {
            config: { unlimited: true },
            validatorCompiler: asSent,
            schema: {
              ...said,
              body: endSchema,
              response: { 200: endedSchema, ...errors(400) },
              examples: {
                body: { alert: { timestamp: PRESSED_AT } },
                answers: { 200: { incident: null, ended: true } },
              },
            },
          },
          // Decided when its body is complete: a head alone ends nothing (rules.md#ends).
          async (request, reply) => {
            const name = endNameOf(jsonIn(bodyBytes(request)), clock.now())
            if (name !== null && 'refused' in name) return refuse(reply, name.refused)
            const session = sessionOf(request)
            const shown = (ended: Ended): Ended => ({ ...ended, incident: shownTo(session, ended.incident) })
            if (name !== null) return shown(await ownIncident.endNamed(session, closing, name.end))
            const withdrawal = await withdrawalOf(request.raw)
            const first = firstByteOf(request.raw)
            const waitedMs = waitedSince(first)
            const since = first.at ?? clock.now() - Math.floor(waitedMs)
            const ended = await ownIncident.end(session, closing, { since, waitedMs, withdrawal })
            return 'refused' in ended ? refuse(reply, ended.refused) : shown(ended)
          },
        )
      }
    },
  })
}
