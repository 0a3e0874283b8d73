import { z } from 'zod'
import type { ingestTelemetry } from '../../../../app/ingest/ingest-telemetry.ts'
import type { telemetryHistory } from '../../../../app/ingest/telemetry-history.ts'
import { type EventTime, parseEventTime } from '../../../../core/ingest/event-time.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import type { PageSender } from '../answers/send-page.ts'
import { BodyRoom, inRoom } from '../bodies/body-room.ts'
import { jsonObject, MAX_ROWS, rowsOrItems } from '../bodies/validation.ts'
import { family } from '../family.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { pageQueryOf, pageQuerySchema, pageSchema } from '../schemas/page.ts'
import { INCIDENT_ID, itemsExample, pageExample } from './examples.ts'
import { ingestSchema, telemetryItemSchema } from './payload.ts'

const HISTORY = '/v1/sdk/telemetry/history'
const BODY_LIMIT_BYTES = 1024 * 1024
/** As long as the body of any other route may be. */
const USUAL_BYTES = 64 * 1024
/** A row came in one body, so it has at most 64 KiB. */
const ROWS_AT_ONCE = 5

const acceptedSchema = z.object({
  accepted: z.literal(true),
  incidentId: z.uuid().nullable().meta({ description: 'The open incident that it was added to' }),
})

const rows = z.array(ingestSchema).max(MAX_ROWS)
const appendSchema = z.union([rows, z.object({ items: rows })]).meta({ id: 'TelemetryRows' })

const appendedSchema = z.object({
  accepted: z.number().int(),
  duplicates: z.number().int(),
  rejected: z
    .array(z.object({ index: z.number().int(), field: z.string(), message: z.string() }))
    .readonly()
    .meta({ description: 'One entry for each invalid field. Rows not listed here were stored' }),
})

/** One end of the time range, inclusive. */
const momentOf = (what: string) =>
  z
    .string()
    .transform((text, context): EventTime => {
      // The + of an offset arrives as a space if it was not escaped; RFC 3339 has no other use for a space here.
      const moment = parseEventTime(text.replace(' ', '+'))
      if (moment !== null) return moment
      context.addIssue({ code: 'custom', message: 'must be an RFC 3339 date-time with a zone' })
      return z.NEVER
    })
    .optional()
    .meta({ type: 'string', format: 'date-time', description: `${what} event time, inclusive` })

const querySchema = pageQuerySchema.extend({ from: momentOf('Earliest'), to: momentOf('Latest') })

const telemetryPageSchema = pageSchema(telemetryItemSchema).meta({ id: 'TelemetryPage' })

const telemetry = { timestamp: '2026-07-04T09:20:00Z', latitude: 47.075, longitude: 12.691, mobileBattery: 61 }

const appends = {
  description:
    'For positions collected while offline: up to 1,000 rows, as an array or under `items`. Rows that are already stored count as duplicates, so a batch can be sent again when the response was lost. 200 means that the rows are on disk.',
  examples: {
    body: { items: [telemetry, { timestamp: '2026-07-04T09:21:00Z', latitude: 47.076 }] },
    answers: {
      200: {
        accepted: 1,
        duplicates: 0,
        rejected: [{ index: 1, field: 'longitude', message: 'must be sent together with latitude' }],
      },
    },
  },
}

type Needs = UserAdmission & {
  readonly ingestTelemetry: ReturnType<typeof ingestTelemetry>
  readonly telemetryHistory: ReturnType<typeof telemetryHistory>
  /** Memory for bodies longer than 64 KiB that are being read. Default: 64 MB. */
  readonly longBodyBytes?: number
  readonly pages: PageSender
}

/**
 * Telemetry over HTTP, the fallback for the MQTT publish; and rows collected offline: appending it, under both of
 * its paths, and reading it back (protocol.md#rest).
 */
export const telemetryRoutes = (needs: Needs) => {
  const { ingestTelemetry, telemetryHistory, longBodyBytes, pages } = needs
  const room = inRoom(new BodyRoom(longBodyBytes), { limitBytes: BODY_LIMIT_BYTES, freeBytes: USUAL_BYTES })
  return family('TELEMETRY', needs, {
    json(scope, refuse) {
      scope.post(
        '/v1/sdk/telemetry',
        {
          validatorCompiler: jsonObject,
          schema: {
            operationId: 'sendTelemetry',
            summary: 'Stores one telemetry payload',
            description:
              'One position or battery reading, with the same payload as the MQTT publish. While an incident is open, it is added to its trail.',
            body: ingestSchema,
            response: { 202: acceptedSchema, ...bodyErrors },
            examples: { body: telemetry, answers: { 202: { accepted: true, incidentId: INCIDENT_ID } } },
          },
        },
        async (request, reply) => {
          const stored = await ingestTelemetry(sessionOf(request), request.body)
          if ('refused' in stored) return refuse(reply, stored.refused)
          return reply.code(202).send({ accepted: true, incidentId: stored.incidentId })
        },
      )

      for (const [path, operationId] of [
        ['/telemetry/history', 'appendTelemetryHistoryShort'],
        [HISTORY, 'appendTelemetryHistory'],
      ] as const) {
        scope.post(
          path,
          {
            bodyLimit: BODY_LIMIT_BYTES,
            preParsing: room,
            validatorCompiler: rowsOrItems,
            schema: {
              operationId,
              summary: 'Stores rows; valid rows are stored even when others are rejected',
              ...appends,
              body: appendSchema,
              response: { 200: appendedSchema, ...bodyErrors },
            },
          },
          (request) => telemetryHistory.append(sessionOf(request), request.body as readonly unknown[]),
        )
      }

      scope.get(
        HISTORY,
        {
          schema: {
            operationId: 'listTelemetryHistory',
            summary: 'Lists telemetry, latest event time first',
            description:
              'Telemetry as accepted, with `receivedAt` added, latest event time first. `from` and `to` are inclusive.',
            querystring: querySchema,
            response: { 200: telemetryPageSchema, ...errors(400) },
            examples: {
              parameters: { ...pageExample, from: '2026-07-04T00:00:00Z', to: '2026-07-04T23:59:59Z' },
              answers: { 200: itemsExample({ ...telemetry, receivedAt: '2026-07-04T09:20:00.733Z' }) },
            },
          },
        },
        async (request, reply) => {
          const { from = null, to = null, ...query } = request.query
          const session = sessionOf(request)
          const sent = await pages.send(reply, {
            userId: session.userId,
            query: { ...pageQueryOf(query), from, to },
            read: (part) => telemetryHistory.read(session, part),
            atOnce: ROWS_AT_ONCE,
          })
          return 'refused' in sent ? refuse(reply, sent.refused) : sent
        },
      )
    },
  })
}
