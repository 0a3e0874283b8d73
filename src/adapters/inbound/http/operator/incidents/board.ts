import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { IncidentSearch, operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { incidentStatuses } from '../../../../../core/incident/incident.ts'
import { SharedReads } from '../../../../../lib/shared-reads.ts'
import { callerOf } from '../../admission/caller.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { family } from '../../family.ts'
import { errors } from '../../schemas/error.ts'
import { pageSchema } from '../../schemas/page.ts'
import { exampleList } from '../examples.ts'
import { pageOf } from '../scope.ts'
import { boardItemSchema, exampleItem } from './item.ts'

const DEFAULT_LIMIT = 50
export const boardPageSchema = pageSchema(boardItemSchema)

const MAX_LIMIT = 1_000
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`
export const momentField = (what: string) =>
  z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional()
    .meta({ type: 'string', format: 'date-time', description: what })

const searchShape = {
  app: z.uuid().optional().meta({ description: 'Of this application' }),
  from: momentField('Opened then or later'),
  to: momentField('Opened before'),
  text: z.string().trim().min(1).max(200).optional().meta({
    description: 'Part of the name, phone or external id, or the beginning of the id of the incident',
  }),
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(incidentStatuses)).max(4))
    .optional()
    .meta({ type: 'string', description: 'One or more, separated by commas' }),
  drills: z.literal('true').optional().meta({ description: 'Exercises and nothing else; otherwise none of them' }),
}

export const searchQuerySchema = z.object(searchShape)
const boardQuerySchema = z.object({
  ...searchShape,
  state: z.enum(['open', 'closed', 'all']).default('open'),
  cursor: z.string().min(1).max(512).optional().meta({ description: 'The `nextCursor` of the previous page' }),
  limit: z
    .string(LIMIT_RULE)
    .refine((text) => /^[0-9]{1,4}$/.test(text), { error: LIMIT_RULE, abort: true })
    .transform(Number)
    .pipe(z.number().min(1, LIMIT_RULE).max(MAX_LIMIT, LIMIT_RULE))
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Defaults to 1,000 where open, else 50' }),
})

export const exampleSearch = {
  app: exampleItem.applicationId,
  from: '2026-05-01T00:00:00Z',
  to: '2026-06-01T00:00:00Z',
  text: 'gruber',
  status: 'active,acknowledged',
  drills: 'true',
}

type Needs = OperatorAdmission & {
  readonly incidents: Pick<ReturnType<typeof operatorIncidents>, 'maxBoard' | 'list' | 'noteList'>
}

export function searchOf(
  { app, from, to, text, status, drills }: z.output<typeof searchQuerySchema>,
  state: IncidentSearch['state'],
): IncidentSearch {
  return {
    state,
    application: app ?? null,
    from: from ?? null,
    to: to ?? null,
    text: text ?? null,
    statuses: status ?? null,
    ...(drills !== undefined && { drills: true as const }),
  }
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }
const WRITTEN_AT_ONCE = 50

/** A page of a list as JSON, written with pauses: a thousand incidents in one go would be in the way of an alarm. */
export async function listText({
  items,
  ...rest
}: {
  readonly items: readonly z.input<typeof boardItemSchema>[]
}): Promise<Buffer> {
  const pieces: string[] = []
  for (let from = 0; from < items.length; from += WRITTEN_AT_ONCE) {
    const some = items.slice(from, from + WRITTEN_AT_ONCE)
    pieces.push(some.map((item) => JSON.stringify(item)).join(','))
    await setImmediate()
  }
  return Buffer.from(`{"items":[${pieces.join(',')}],${JSON.stringify(rest).slice(1)}`)
}

/** Sends a list that is text already, so no schema is applied. */
export const sendList = (reply: object, text: Buffer): FastifyReply =>
  (reply as FastifyReply).headers(JSON_HEADERS).send(text)

/** The board and other lists of incidents (rules.md#standing). */
export const operatorBoardRoutes = (needs: Needs) => {
  const { incidents } = needs
  /** After a fail-over fifty screens read the board at once. */
  const lists = new SharedReads<Buffer>()
  return family('OPERATOR', needs, {
    bodiless(scope) {
      scope.get(
        '/v1/operator/incidents',
        {
          config: { action: 'incident.view' },
          schema: {
            operationId: 'listIncidents',
            summary: 'Incidents, the most urgent of the open ones first',
            description:
              'Open ones: the most urgent first over all pages, and of these the oldest; 1,000 (or `limit`) a page. Others: newest first. A page may be short, or empty, before the end: it reads at most 20,000 incidents.',
            querystring: boardQuerySchema,
            response: { 200: boardPageSchema, ...errors(400) },
            examples: {
              parameters: { ...exampleSearch, state: 'open', cursor: 'WyJib2FyZCIsMSwyXQ', limit: 50 },
              answers: { 200: exampleList(exampleItem) },
            },
          },
        },
        async (request, reply) => {
          const { state, cursor, limit = state === 'open' ? incidents.maxBoard : DEFAULT_LIMIT } = request.query
          const page = { after: cursor ?? null, limit }
          const search = searchOf(request.query, state)
          const by = callerOf(request)
          const text = await lists.run(JSON.stringify([by.grant.applications, search, page]), by.inTurn, async () => {
            return listText(pageOf(await incidents.list(by, search, page), (item) => item))
          })
          incidents.noteList(by, search)
          return sendList(reply, text)
        },
      )
    },
  })
}
