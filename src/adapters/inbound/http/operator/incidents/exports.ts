import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { BoardItem } from '../../../../../app/operator/board-item.ts'
import type { operatorIncidents } from '../../../../../app/operator/incidents.ts'
import { languageField } from '../../../../../core/account/contact-schema.ts'
import { type Caller, callerOf } from '../../admission/caller.ts'
import type { OperatorAdmission } from '../../admission/operators.ts'
import { family } from '../../family.ts'
import { errors } from '../../schemas/error.ts'
import { languagesOf } from '../../tracking/language.ts'
import { reportPage } from '../report/page.ts'
import { reportHeaders } from '../report/page-style.ts'
import { exampleSearch, searchOf, searchQuerySchema } from './board.ts'
import { type CaseAnswer, caseSchema, exampleCase, idSchema, inTurn, PATH } from './case.ts'
import { incidentCsvLine, incidentsCsvHead, majorCsv, trailCsv, trailGpx } from './export-texts.ts'
import { incidentRefusals } from './incident-refusals.ts'
import { exampleIncidentId } from './item.ts'

const ONE = `${PATH}/:id`
/** A period of more incidents is cut off, and the table says so. */
const MAX_TABLE_ROWS = 20_000

const ofOne = { parameters: { id: exampleIncidentId } }
/** A file of this type, for the documents. */
const textOf = (type: string) => ({ content: { [type]: { schema: z.string() } } })

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

const fileHeaders = (type: string, name: string) => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
  'x-content-type-options': 'nosniff',
})

/** Sends a body that is not JSON, and so has no schema. */
const sendFile = (reply: FastifyReply, headers: Readonly<Record<string, string>>, body: string | Buffer | Readable) =>
  reply.headers(headers).send(body)

type Needs = OperatorAdmission & {
  readonly incidents: Pick<ReturnType<typeof operatorIncidents>, 'one' | 'report' | 'table' | 'majorPeople'>
}

/** Exports of the console: one incident as a file or on paper, and a table of a period. */
export const operatorExportRoutes = (needs: Needs) => {
  const { incidents } = needs
  return family('OPERATOR', needs, {
    refusals: incidentRefusals,

    bodiless(scope, refuse) {
      /** Sends a file made of the case, unless there is none. */
      const exported = async (
        request: FastifyRequest<{ Params: { id: string } }>,
        reply: FastifyReply,
        fileOf: (
          found: Extract<CaseAnswer, { readonly case: unknown }>['case'],
        ) => readonly [type: string, end: string, text: string],
      ) => {
        const found = await inTurn(request, (by) => incidents.one(by, request.params.id, 'incident.export'))
        if ('refused' in found) return refuse(reply, found.refused)
        const [type, end, text] = fileOf(found.case)
        return sendFile(reply, fileHeaders(type, `incident-${found.case.incident.incidentId}${end}`), text)
      }
      const asFile = (
        said: { readonly operationId: string; readonly summary: string; readonly description: string },
        file: typeof caseSchema | ReturnType<typeof textOf>,
      ) => ({
        config: { action: 'incident.export' } as const,
        schema: {
          ...said,
          params: idSchema,
          response: { 200: file, ...errors(400, 404) },
          examples: { ...ofOne, ...(file === caseSchema && { answers: { 200: exampleCase } }) },
        },
      })
      scope.get(
        `${ONE}/export.json`,
        asFile(
          {
            operationId: 'exportIncident',
            summary: 'One incident as JSON',
            description: 'What `GET /v1/operator/incidents/{id}` answers, as a file.',
          },
          caseSchema,
        ),
        (request, reply) =>
          exported(request, reply, (found) => [
            'application/json; charset=utf-8',
            '.json',
            JSON.stringify(found, null, 2),
          ]),
      )
      scope.get(
        `${ONE}/trail.gpx`,
        asFile(
          {
            operationId: 'exportTrailAsGpx',
            summary: 'The trail as GPX 1.1',
            description: 'The newest 1,000 positions as a track in GPX 1.1, oldest first.',
          },
          textOf('application/gpx+xml'),
        ),
        (request, reply) =>
          exported(request, reply, ({ incident, trail }) => ['application/gpx+xml', '.gpx', trailGpx(incident, trail)]),
      )
      scope.get(
        `${ONE}/trail.csv`,
        asFile(
          {
            operationId: 'exportTrailAsCsv',
            summary: 'The trail as CSV',
            description:
              'The newest 1,000 positions as CSV (UTF-8), oldest first: at, latitude, longitude, altitude, source.',
          },
          textOf('text/csv'),
        ),
        (request, reply) =>
          exported(request, reply, ({ trail }) => ['text/csv; charset=utf-8', '.csv', trailCsv(trail)]),
      )

      scope.get(
        `${ONE}/report`,
        {
          config: { action: 'incident.export' },
          schema: {
            operationId: 'printIncident',
            summary: 'One incident as a page to print',
            description:
              'The incident as an HTML page to print, in the language asked for, else the browser’s, else that of the application (en, de, fr, es, it). Loads nothing from elsewhere.',
            params: idSchema,
            querystring: z.object({ language: languageField.optional() }),
            response: { 200: textOf('text/html'), ...errors(400, 404) },
            examples: { parameters: { id: exampleIncidentId, language: 'de' } },
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
        '/v1/operator/major-incidents/:id/people.csv',
        {
          config: { action: 'incident.export' },
          schema: {
            operationId: 'exportMajorIncident',
            summary: 'The head count of a major incident as CSV',
            description:
              'The persons of a major incident as CSV (UTF-8), as far as the caller may export them, open and ended alarms, oldest first: who, pressed, state, answered, head count, assigned to, operator, last position, number of notes. `head` is as in the head count: `pressed`, `answered`, `safe`, `handed_over` or `ended`. Texts that a spreadsheet would take for a formula begin with an apostrophe.',
            params: idSchema,
            response: { 200: textOf('text/csv'), ...errors(400, 404) },
            examples: ofOne,
          },
        },
        async (request, reply) => {
          const id = request.params.id.toLowerCase()
          const found = await inTurn(request, (by) => incidents.majorPeople(by, id))
          if ('refused' in found) return refuse(reply, found.refused)
          const headers = fileHeaders('text/csv; charset=utf-8', `major-incident-${id}.csv`)
          return sendFile(reply, headers, majorCsv(found.people))
        },
      )

      scope.get(
        '/v1/operator/incidents.csv',
        {
          // A HEAD would make the whole table and send none of it.
          exposeHeadRoute: false,
          config: { action: 'incident.export' },
          schema: {
            operationId: 'exportIncidents',
            summary: 'Incidents of a period as CSV',
            description:
              'Incidents of a period as CSV (UTF-8), newest first, 20,000 at most. Texts that a spreadsheet would take for a formula begin with an apostrophe.',
            querystring: searchQuerySchema,
            response: { 200: textOf('text/csv'), ...errors(400) },
            examples: { parameters: exampleSearch },
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
