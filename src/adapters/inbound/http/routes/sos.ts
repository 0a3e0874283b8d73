import { endNameOf } from '../../../../core/incident/end-name.ts'
import { waitedSince } from '../../../../lib/waited.ts'
import { sessionOf } from '../admission/session.ts'
import { firstByteOf, withdrawalOf } from '../client.ts'
import { family } from '../family.ts'
import { bodyBytes, jsonIn } from '../json-body.ts'
import type { HttpParts } from '../parts.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import {
  alertSchema,
  endedSchema,
  endSchema,
  historyItemSchema,
  openIncidentSchema,
  updatedSchema,
} from '../schemas/incident.ts'
import { pageQueryOf, pageQuerySchema, pageSchema } from '../schemas/page.ts'
import type { PageSender } from '../send-page.ts'
import { userTurns } from '../user-turns.ts'
import { asSent, jsonObject } from '../validation.ts'

const PATH = '/v1/sdk/sos'

const historySchema = pageSchema(historyItemSchema)

const closings = [
  ['cancel', 'Cancels the open incident'],
  ['resolve', 'Resolves the open incident'],
] as const

/** Raising, reading and closing the user's own SOS incident (protocol.md#rest). */
export const sosRoutes = (parts: HttpParts, pages: PageSender) => {
  const { clock, ownIncident, raiseSos } = parts
  return family('SOS', parts, {
    json(scope, refuse) {
      const turn = userTurns(scope)

      scope.post(
        PATH,
        {
          config: { unlimited: true },
          validatorCompiler: jsonObject,
          schema: {
            summary: 'Raises an alarm: opens an incident (201), or updates the open one (200)',
            body: alertSchema,
            response: { 201: openIncidentSchema, 200: updatedSchema, ...bodyErrors },
          },
        },
        async (request, reply) => {
          const raised = await raiseSos(sessionOf(request), request.body)
          if ('refused' in raised) return refuse(reply, raised.refused)
          // A commit holds up to eight alerts of one user, and each answer takes longer than its commit.
          await turn(request)
          const { opened, incident, putOff } = raised
          return reply.code(opened ? 201 : 200).send({ incident, ...(putOff && { putOff }) })
        },
      )

      scope.get(
        PATH,
        {
          schema: {
            summary: 'The open incident with its live snapshot, or null',
            response: { 200: openIncidentSchema },
          },
        },
        async (request) => ({ incident: await ownIncident.read(sessionOf(request)) }),
      )

      scope.get(
        `${PATH}/history`,
        {
          schema: {
            summary: 'Lists the user’s incidents, newest first',
            querystring: pageQuerySchema,
            response: { 200: historySchema, ...errors(400) },
          },
        },
        async (request, reply) => {
          const session = sessionOf(request)
          const sent = await pages.send(reply, {
            userId: session.userId,
            query: pageQueryOf(request.query),
            read: (part) => ownIncident.history(session, part),
            atOnce: 1,
          })
          return 'refused' in sent ? refuse(reply, sent.refused) : sent
        },
      )
    },

    anyBody(scope, refuse) {
      for (const [closing, summary] of closings) {
        scope.post(
          `${PATH}/${closing}`,
          {
            config: { unlimited: true },
            validatorCompiler: asSent,
            schema: {
              summary,
              body: endSchema,
              response: { 200: endedSchema, ...errors(400) },
            },
          },
          // Decided when its body is complete: a head alone ends nothing (rules.md#ends).
          async (request, reply) => {
            const name = endNameOf(jsonIn(bodyBytes(request)), clock.now())
            if (name !== null && 'refused' in name) return refuse(reply, name.refused)
            const session = sessionOf(request)
            if (name !== null) return ownIncident.endNamed(session, closing, name.end)
            const withdrawal = await withdrawalOf(request.raw)
            const first = firstByteOf(request.raw)
            const waitedMs = waitedSince(first)
            const since = first.at ?? clock.now() - Math.floor(waitedMs)
            const ended = await ownIncident.end(session, closing, { since, waitedMs, withdrawal })
            return 'refused' in ended ? refuse(reply, ended.refused) : ended
          },
        )
      }
    },
  })
}
