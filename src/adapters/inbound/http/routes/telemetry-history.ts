import { z } from 'zod'
import { type EventTime, parseEventTime } from '../../../../core/ingest/event-time.ts'
import { sessionOf } from '../admission/session.ts'
import { BodyRoom, inRoom } from '../body-room.ts'
import { family } from '../family.ts'
import type { HttpParts } from '../parts.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { ingestSchema, telemetryItemSchema } from '../schemas/incident.ts'
import { pageQueryOf, pageQuerySchema, pageSchema } from '../schemas/page.ts'
import type { PageSender } from '../send-page.ts'
import { MAX_ROWS, rowsOrItems } from '../validation.ts'

const PATH = '/v1/sdk/telemetry/history'
const BODY_LIMIT_BYTES = 1024 * 1024
/** As long as the body of any other route may be. */
const USUAL_BYTES = 64 * 1024
/** A row came in one body, so it has at most 64 KiB. */
const ROWS_AT_ONCE = 5

const rows = z.array(ingestSchema).max(MAX_ROWS)
const appendSchema = z.union([rows, z.object({ items: rows })])

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

const telemetryPageSchema = pageSchema(telemetryItemSchema)

/** Telemetry collected offline: appending it, under both of its paths, and reading it back (protocol.md#rest). */
export const telemetryHistoryRoutes = (parts: HttpParts, pages: PageSender) => {
  const { telemetryHistory, longBodyBytes } = parts
  const room = inRoom(new BodyRoom(longBodyBytes), { limitBytes: BODY_LIMIT_BYTES, freeBytes: USUAL_BYTES })
  return family('TELEMETRY', parts, {
    json(scope, refuse) {
      for (const path of ['/telemetry/history', PATH]) {
        scope.post(
          path,
          {
            bodyLimit: BODY_LIMIT_BYTES,
            preParsing: room,
            validatorCompiler: rowsOrItems,
            schema: {
              summary: 'Stores rows; valid rows are stored even when others are rejected',
              body: appendSchema,
              response: { 200: appendedSchema, ...bodyErrors },
            },
          },
          (request) => telemetryHistory.append(sessionOf(request), request.body as readonly unknown[]),
        )
      }

      scope.get(
        PATH,
        {
          schema: {
            summary: 'Lists telemetry, latest event time first',
            querystring: querySchema,
            response: { 200: telemetryPageSchema, ...errors(400) },
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
