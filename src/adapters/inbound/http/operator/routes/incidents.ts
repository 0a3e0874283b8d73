// One file: the routes of one resource, which share how an incident is answered or refused.

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { BoardItem } from '../../../../../app/operator/board-item.ts'
import type { IncidentSearch, operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { languageField } from '../../../../../core/account/contact-schema.ts'
import type { Action } from '../../../../../core/operator/role.ts'
import { SECOND } from '../../../../../lib/durations.ts'
import { SharedReads } from '../../../../../lib/shared-reads.ts'
import { type Caller, callerOf } from '../../admission/caller.ts'
import { objectOrNothing } from '../../bodies/validation.ts'
import type { HttpParts } from '../../parts.ts'
import { bodyErrors, errors } from '../../schemas/error.ts'
import { languagesOf } from '../../tracking/language.ts'
import type { RefuseOperator } from '../family.ts'
import { operatorFamily } from '../family.ts'
import { incidentCsvLine, incidentsCsvHead, trailCsv, trailGpx } from '../incident-exports.ts'
import type { OperatorParts } from '../parts.ts'
import { reportHeaders, reportPage } from '../report/page.ts'
import {
  aheadQuerySchema,
  boardPageSchema,
  boardQuerySchema,
  calledBackSchema,
  caseSchema,
  contactOfIncidentSchema,
  idSchema,
  noteSchema,
  pressesQuerySchema,
  resendSchema,
  resolveSchema,
  searchQuerySchema,
  takeOverSchema,
} from '../schemas/incidents.ts'
import { pageOf } from '../scope.ts'

const PATH = '/v1/operator/incidents'
const ONE = `${PATH}/:id`
const DEFAULT_LIMIT = 50
/** A period of more incidents is cut off, and the table says so. */
const MAX_TABLE_ROWS = 20_000

type Incidents = ReturnType<typeof operatorIncidents>
type Answer = Awaited<ReturnType<Incidents['take' | 'resend' | 'addNote' | 'tickCalledBack']>>

/** The case, or the refusal with how things stand. */
function answer(reply: FastifyReply, refuse: RefuseOperator, done: Answer) {
  if (!('refused' in done)) return done.case
  if (done.refused === 'resent_too_soon') {
    const seconds = Math.max(1, Math.ceil(done.retryAfterMs / SECOND))
    return refuse(reply, done.refused, { headers: { 'retry-after': `${seconds}` } })
  }
  return 'case' in done ? refuse(reply, done.refused, { incident: done.case }) : refuse(reply, done.refused)
}

function searchOf(
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

async function* tableText(pages: AsyncIterable<readonly BoardItem[]>): AsyncGenerator<string> {
  yield incidentsCsvHead
  let rows = 0
  for await (const items of pages) {
    yield items.map(incidentCsvLine).join('')
    rows += items.length
    if (rows < MAX_TABLE_ROWS) continue
    yield 'There may be more incidents: ask for a shorter period.\r\n'
    return
  }
}

/** The pages of a table, each read when it is the caller's turn. */
async function* inTurns<T>(
  { inTurn }: Pick<Caller, 'inTurn'>,
  pages: AsyncIterator<T, unknown>,
  first: IteratorResult<T, unknown>,
): AsyncGenerator<T> {
  let page = first
  while (!page.done) {
    yield page.value
    page = await inTurn(() => pages.next(), { isGoingOn: true })
  }
}

/** What reads an incident, or many, when it is the caller's turn. */
const inTurn = <R>(request: Pick<FastifyRequest, 'getDecorator'>, work: (by: Caller) => Promise<R>): Promise<R> => {
  const caller = callerOf(request)
  return caller.inTurn(() => work(caller))
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }
const WRITTEN_AT_ONCE = 50

/** A page of a list as JSON, written with pauses: a thousand incidents in one go would be in the way of an alarm. */
async function listText({ items, ...rest }: z.input<typeof boardPageSchema>): Promise<Buffer> {
  const pieces: string[] = []
  for (let from = 0; from < items.length; from += WRITTEN_AT_ONCE) {
    const some = items.slice(from, from + WRITTEN_AT_ONCE)
    pieces.push(some.map((item) => JSON.stringify(item)).join(','))
    await setImmediate()
  }
  return Buffer.from(`{"items":[${pieces.join(',')}],${JSON.stringify(rest).slice(1)}`)
}

const fileHeaders = (type: string, name: string) => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
  'x-content-type-options': 'nosniff',
})

/** Sends what is not JSON, and so has no schema. */
const sendFile = (reply: FastifyReply, headers: Readonly<Record<string, string>>, body: string | Buffer | Readable) =>
  reply.headers(headers).send(body)

/** Incidents: lists, one of them, what operators do with it, and what leaves the console (rules.md#operators). */
export const incidentRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { incidents } = parts.operator
  /** After a fail-over fifty screens read the board at once. */
  const lists = new SharedReads<Buffer>()
  const reportQuery = z.object({ language: languageField.optional() })
  return operatorFamily(parts, {
    json(scope, refuse) {
      const acted = { 200: caseSchema, ...bodyErrors, ...errors(404, 409) }
      /** What an operator says about one incident. */
      const says = <B extends z.ZodType>(
        path: string,
        { action, summary, body }: { readonly action: Action; readonly summary: string; readonly body: B },
        act: (by: Caller, id: string, given: z.output<B>) => Promise<Answer>,
      ) =>
        scope.post(
          `${ONE}/${path}`,
          { config: { action }, schema: { summary, params: idSchema, body, response: acted } },
          async (request, reply) =>
            answer(
              reply,
              refuse,
              await inTurn(request, (by) => act(by, request.params.id, request.body as z.output<B>)),
            ),
        )

      says('notes', { action: 'incident.note', summary: 'Adds a note', body: noteSchema }, (by, id, note) =>
        incidents.addNote(by, id, note.text, note.writtenAt),
      )
      says(
        'called-back',
        {
          action: 'incident.called_back',
          summary: 'Notes who was called back after the end',
          body: calledBackSchema,
        },
        (by, id, { contactId, writtenAt }) => incidents.tickCalledBack(by, id, contactId, writtenAt),
      )
      says(
        'take-over',
        {
          action: 'incident.take_over',
          summary: 'Takes an incident over from the operator who has it',
          body: takeOverSchema,
        },
        (by, id, { from }) => incidents.takeOver(by, id, from),
      )
      says(
        'resend',
        { action: 'incident.resend', summary: 'Sends the alarm to one contact once more', body: resendSchema },
        (by, id, { contactId }) => incidents.resend(by, id, contactId),
      )
    },

    anyBody(scope, refuse) {
      scope.post(
        `${ONE}/resolve`,
        {
          config: { action: 'incident.resolve' },
          validatorCompiler: objectOrNothing,
          schema: {
            summary: 'Closes an incident as resolved',
            params: idSchema,
            querystring: pressesQuerySchema,
            body: resolveSchema,
            response: { 200: caseSchema, ...errors(400, 404, 409) },
          },
        },
        async (request, reply) => {
          const { outcome, note } = request.body
          const remark = { ...(outcome != null && { outcome }), ...(note != null && { note }) }
          const { id } = request.params
          const seen = [request.query.presses, request.body.presses].filter((count) => count != null)
          const presses = seen.length === 0 ? undefined : Math.min(...seen)
          return answer(reply, refuse, await inTurn(request, (by) => incidents.resolve(by, id, remark, presses)))
        },
      )
    },

    bodiless(scope, refuse) {
      const found = { 200: caseSchema, ...errors(400, 404) }
      scope.get(
        PATH,
        {
          config: { action: 'incident.view' },
          schema: {
            summary: 'Incidents, the most urgent of the open ones first',
            querystring: boardQuerySchema,
            response: { 200: boardPageSchema, ...errors(400) },
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
          return sendFile(reply as unknown as FastifyReply, JSON_HEADERS, text)
        },
      )

      scope.get(
        ONE,
        {
          config: { action: 'incident.view' },
          schema: {
            summary: 'One incident with everything known about it',
            params: idSchema,
            querystring: aheadQuerySchema,
            response: found,
          },
        },
        async (request, reply) => {
          const { id } = request.params
          const isAhead = request.query.ahead !== undefined
          const read = (by: Caller) => (isAhead ? incidents.ahead(by, id) : incidents.one(by, id, 'incident.view'))
          return answer(reply, refuse, await inTurn(request, read))
        },
      )

      const methods = { seen: 'seen', untake: 'untake', resume: 'resume', 'alarm-now': 'alarmNow' } as const
      for (const [path, action, summary] of [
        ['seen', 'incident.seen', 'An operator has opened it: no longer new'],
        ['untake', 'incident.untake', 'Releases it within a minute: the cascade goes on'],
        ['resume', 'incident.resume', 'Continues an incident from a restored backup'],
        ['alarm-now', 'incident.alarm_now', 'Alarms at once with the presses that are put off'],
      ] as const) {
        scope.post(
          `${ONE}/${path}`,
          {
            config: { action },
            schema: { summary, params: idSchema, response: { 200: caseSchema, ...errors(400, 404, 409) } },
          },
          async (request, reply) =>
            answer(reply, refuse, await inTurn(request, (by) => incidents[methods[path]](by, request.params.id))),
        )
      }

      scope.post(
        `${ONE}/take`,
        {
          config: { action: 'incident.take' },
          schema: {
            summary: 'Takes an incident: the cascade stops',
            params: idSchema,
            querystring: pressesQuerySchema,
            response: { 200: caseSchema, ...errors(400, 404, 409) },
          },
        },
        async (request, reply) => {
          const { presses } = request.query
          return answer(reply, refuse, await inTurn(request, (by) => incidents.take(by, request.params.id, presses)))
        },
      )

      scope.post(
        `${ONE}/contacts/:contactId/show-position`,
        {
          config: { action: 'incident.show_position' },
          schema: {
            summary: 'Lets a contact who was added during the alarm see the position',
            params: contactOfIncidentSchema,
            response: { 200: caseSchema, ...errors(400, 404, 409) },
          },
        },
        async (request, reply) => {
          const { id, contactId } = request.params
          return answer(reply, refuse, await inTurn(request, (by) => incidents.showPosition(by, id, contactId)))
        },
      )

      /** Sends a file made of the case, unless there is none. */
      const exported = async (
        request: FastifyRequest<{ Params: { id: string } }>,
        reply: FastifyReply,
        fileOf: (
          found: Extract<Answer, { readonly case: unknown }>['case'],
        ) => readonly [type: string, end: string, text: string],
      ) => {
        const found = await inTurn(request, (by) => incidents.one(by, request.params.id, 'incident.export'))
        if ('refused' in found) return refuse(reply, found.refused)
        const [type, end, text] = fileOf(found.case)
        return sendFile(reply, fileHeaders(type, `incident-${found.case.incident.incidentId}${end}`), text)
      }
      const asFile = (summary: string) => ({
        config: { action: 'incident.export' } as const,
        schema: { summary, params: idSchema, response: errors(400, 404) },
      })
      scope.get(`${ONE}/export.json`, asFile('One incident as JSON'), (request, reply) =>
        exported(request, reply, (found) => [
          'application/json; charset=utf-8',
          '.json',
          JSON.stringify(found, null, 2),
        ]),
      )
      scope.get(`${ONE}/trail.gpx`, asFile('The trail as GPX 1.1'), (request, reply) =>
        exported(request, reply, ({ incident, trail }) => ['application/gpx+xml', '.gpx', trailGpx(incident, trail)]),
      )
      scope.get(`${ONE}/trail.csv`, asFile('The trail as CSV'), (request, reply) =>
        exported(request, reply, ({ trail }) => ['text/csv; charset=utf-8', '.csv', trailCsv(trail)]),
      )

      scope.get(
        `${ONE}/report`,
        {
          config: { action: 'incident.export' },
          schema: {
            summary: 'One incident as a page to print',
            params: idSchema,
            querystring: reportQuery,
            response: errors(400, 404),
          },
        },
        async (request, reply) => {
          const found = await inTurn(request, (by) => incidents.report(by, request.params.id))
          if ('refused' in found) return refuse(reply, found.refused)
          const { language } = request.query
          const wanted = [
            ...(language === undefined ? [] : [language]),
            ...languagesOf(request.headers['accept-language']),
          ]
          // Loaded with the first report.
          return sendFile(reply, reportHeaders, reportPage(found, { wanted, by: callerOf(request).actor.name }))
        },
      )

      scope.get(
        '/v1/operator/incidents.csv',
        {
          // It would make the whole table for nobody.
          exposeHeadRoute: false,
          config: { action: 'incident.export' },
          schema: {
            summary: 'Incidents of a period as CSV',
            querystring: searchQuerySchema,
            response: errors(400),
          },
        },
        async (request, reply) => {
          const caller = callerOf(request)
          const pages = incidents.table(caller, searchOf(request.query, 'all'))[Symbol.asyncIterator]()
          // Before anything is sent: a refusal is still possible.
          const first = await caller.inTurn(() => pages.next())
          return sendFile(
            reply,
            fileHeaders('text/csv; charset=utf-8', 'incidents.csv'),
            Readable.from(tableText(inTurns(caller, pages, first))),
          )
        },
      )
    },
  })
}
