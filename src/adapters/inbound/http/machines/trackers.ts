import { parse } from 'node:querystring'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Origin, takeReport } from '../../../../app/field/take-report.ts'
import type { trackerOf } from '../../../../app/user/own-trackers.ts'
import { readOsmandJson, readOsmandQuery } from '../../../../core/field/osmand.ts'
import { readOwnTracks } from '../../../../core/field/owntracks.ts'
import type { Report } from '../../../../core/field/report.ts'
import { isJsonObject } from '../../../../core/ingest/json.ts'
import type { Logging } from '../admission/admission.ts'
import { throttleOf } from '../admission/throttle.ts'
import { answerFault } from '../answers/faults.ts'
import { bodyBytes, takeBytes } from '../bodies/json-body.ts'
import { asSent } from '../bodies/validation.ts'
import { answer, type Problem } from '../problem.ts'
import { errors } from '../schemas/error.ts'

const PATH = '/v1/trackers'
/** Many times what the apps send. */
const BODY_LIMIT_BYTES = 16 * 1024

// For the OpenAPI document alone: the apps speak protocols of their own, and the routes read them field by field.
const reportErrors = errors(401, 413, 503)

const ownTracksSchema = z.object({
  _type: z.string().meta({ description: 'Only `location` is read; the others are ignored' }),
  tst: z.number().optional().meta({ description: 'Seconds since 1970' }),
  lat: z.number().optional(),
  lon: z.number().optional(),
  alt: z.number().optional().meta({ description: 'Metres' }),
  acc: z.number().optional().meta({ description: 'Metres' }),
  batt: z.number().optional().meta({ description: 'Percent' }),
})

const alarm = z.string().optional().meta({ description: '`sos`, also among others: `lowBattery,sos`' })

const osmandQuerySchema = z.object({
  id: z.string().optional().meta({ description: 'The token, where the path has none. Also as `deviceid`' }),
  timestamp: z
    .string()
    .optional()
    .meta({ description: 'Seconds or milliseconds since 1970, RFC 3339, or `2026-01-31 12:00:00` in UTC' }),
  lat: z.string().optional(),
  lon: z.string().optional(),
  location: z.string().optional().meta({ description: '`lat,lon`, instead of both' }),
  valid: z.string().optional().meta({ description: '`false` or `0`: there is no fix' }),
  altitude: z.string().optional().meta({ description: 'Metres' }),
  accuracy: z.string().optional().meta({ description: 'Metres' }),
  batt: z.string().optional().meta({ description: 'Percent' }),
  alarm,
})

const osmandSchema = z.object({
  device_id: z.string().optional().meta({ description: 'The token, where neither path nor query has one' }),
  location: z
    .object({
      timestamp: z.string().optional(),
      coords: z
        .object({
          latitude: z.number(),
          longitude: z.number(),
          altitude: z.number().optional(),
          accuracy: z.number().optional(),
        })
        .optional(),
      battery: z.object({ level: z.number().min(0).max(1) }).optional(),
      extras: z.object({ alarm }).optional(),
    })
    .optional(),
})

const osmandAnswer = { 200: { description: 'Stored', content: { 'text/plain': { schema: z.string() } } } }
const trackerTags = ['Trackers']
const tokenParams = z.object({ token: z.string().meta({ description: 'The token of the tracker' }) })

const token = 'bXl0b2tlbi1teXRva2VuLW15dG9rZW4tbXl0b2tlbjEy'
const at = '2026-07-04T09:12:31Z'

const ownTracksDocs = {
  operationId: 'reportOwnTracks',
  tags: trackerTags,
  summary: 'A report of OwnTracks',
  description:
    'A position of the OwnTracks apps, which have no SOS. 200 means that it is stored, ignored, or kept as a dead letter because it cannot be read. The token is the password of HTTP Basic.',
  security: [{ trackerToken: [] }],
  body: ownTracksSchema,
  response: { 200: z.array(z.object({})), ...reportErrors },
  examples: {
    body: { _type: 'location', tst: 1_783_156_351, lat: 47.0742, lon: 12.6939, alt: 2890, acc: 8, batt: 64 },
    answers: { 200: [] },
  },
}

const osmandShared = {
  tags: trackerTags,
  description:
    '200 means that the report is stored, or that it cannot be read and is kept as a dead letter: trackers send nothing else before the oldest report has gone through. `alarm=sos` raises an SOS of the owner. A wrong token is answered more slowly each time.',
  querystring: osmandQuerySchema,
  response: { ...osmandAnswer, ...reportErrors },
}
const osmandPost = { consumes: ['application/json', 'application/x-www-form-urlencoded'], body: osmandSchema }
const osmandExamples = {
  parameters: {
    token,
    id: token,
    timestamp: at,
    lat: '47.0742',
    lon: '12.6939',
    location: '47.0742,12.6939',
    valid: 'true',
    altitude: '2890',
    accuracy: '8',
    batt: '64',
    alarm: 'sos',
  },
  body: {
    device_id: token,
    location: {
      timestamp: at,
      coords: { latitude: 47.0742, longitude: 12.6939, altitude: 2890, accuracy: 8 },
      battery: { level: 0.64 },
      extras: { alarm: 'sos' },
    },
  },
  answers: { 200: '' },
}

/** With and without the token in the path. */
const osmandDocs = {
  get: {
    ...osmandShared,
    operationId: 'reportOsmandParameters',
    summary: 'A report of Traccar Client or any OsmAnd tracker, as parameters',
    examples: osmandExamples,
  },
  post: {
    ...osmandShared,
    ...osmandPost,
    operationId: 'reportOsmand',
    summary: 'A report of Traccar Client or any OsmAnd tracker, as JSON or a form',
    examples: osmandExamples,
  },
}
const osmandByTokenDocs = {
  get: {
    ...osmandDocs.get,
    operationId: 'reportOsmandParametersByToken',
    summary: 'A report of a tracker with its token in the address, as parameters',
    params: tokenParams,
  },
  post: {
    ...osmandDocs.post,
    operationId: 'reportOsmandByToken',
    summary: 'A report of a tracker with its token in the address, as JSON or a form',
    params: tokenParams,
  },
}

export type TrackerNeeds = Logging & {
  /** Trackers with their own token. Absent: none are served. */
  readonly trackers?: { readonly of: ReturnType<typeof trackerOf>; readonly reports: ReturnType<typeof takeReport> }
}

type Fields = Readonly<Record<string, unknown>>
/** The content of a request whose token is known. Null: it cannot be read. `nothing`: it is sound, but no report. */
type Said = Report | 'nothing' | null

const UNAUTHORIZED: Problem = {
  kind: 'UNAUTHORIZED',
  message: 'The token of a tracker is needed: create one with "tocsin device token".',
  headers: { 'www-authenticate': 'Basic realm="tracker"' },
}

/**
 * Trackers and apps with their own protocols (trackers.md), each with its token. The number of reports is limited where
 * all transports meet (`takeReport`); wrong tokens are answered more and more slowly, as at a login.
 *
 * Once its token is right, every report is answered with success, even one that cannot be read and is kept as a dead
 * letter, or one too many: the apps send nothing else before the oldest report has gone through.
 */
export const trackerRoutes =
  ({ trackers, log }: TrackerNeeds): FastifyPluginCallback =>
  (app, _options, done) => {
    if (trackers === undefined) return done()
    const { of, reports } = trackers
    app.setErrorHandler(answerFault(null, log))
    takeBytes(app, BODY_LIMIT_BYTES)
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })

    /** Ingests a report of the tracker with this token; returns the reply if nothing more is to be answered. */
    const taken = async (
      request: FastifyRequest,
      reply: FastifyReply,
      { protocol, token, said }: { readonly protocol: string; readonly token: string | null; readonly said: Said },
    ): Promise<FastifyReply | null> => {
      const device = await of(token)
      if (device === null) {
        await throttleOf(app).slowDown(request)
        return answer(reply, null, UNAUTHORIZED)
      }
      if (said === 'nothing') return null
      const origin: Origin = { transport: 'tracker', topic: `trackers/${protocol}`, raw: rawOf(request, token) }
      if (said === null) await reports.unreadable(device, origin, 'cannot be read as a report')
      else await reports.take(device, said, origin)
      return null
    }

    const options = { bodyLimit: BODY_LIMIT_BYTES, validatorCompiler: asSent, config: { unlimited: true } }

    app.post(`${PATH}/owntracks`, { ...options, schema: ownTracksDocs }, async (request, reply) => {
      const body = bodyBytes(request)
      // A friend removed in the app.
      const said = body.length === 0 ? 'nothing' : ownTracksIn(body)
      const refused = await taken(request, reply, { protocol: 'owntracks', token: basicToken(request), said })
      return refused ?? reply.type('application/json; charset=utf-8').send('[]')
    })

    const takeOsmand = async (request: FastifyRequest, reply: FastifyReply) => {
      const { token = null } = request.params as { readonly token?: string }
      const sent = osmandIn(request)
      const refused = await taken(request, reply, {
        protocol: 'osmand',
        // Empty after a slash at the end of the address.
        token: token || sent.id,
        said: sent.said,
      })
      return refused ?? reply.type('text/plain; charset=utf-8').send('')
    }
    for (const [url, docs] of [
      [`${PATH}/osmand`, osmandDocs],
      [`${PATH}/osmand/:token`, osmandByTokenDocs],
    ] as const) {
      // A preview of the link must not press.
      app.get(url, { ...options, schema: docs.get, exposeHeadRoute: false }, takeOsmand)
      app.post(url, { ...options, schema: docs.post }, takeOsmand)
    }
    done()
  }

/** The body, else the query, without the token: operators who read dead letters need not know it. */
function rawOf(request: FastifyRequest, token: string | null): Uint8Array {
  const body = bodyBytes(request)
  const raw = body.length > 0 ? body : Buffer.from(JSON.stringify(request.query))
  if (token === null || !raw.includes(token)) return raw
  return Buffer.from(raw.toString('utf8').replaceAll(token, '…'))
}

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function ownTracksIn(body: Buffer): Said {
  const read = readOwnTracks(jsonIn(body))
  return read === 'ignored' ? 'nothing' : read
}

/** The password of HTTP Basic, else its user name. */
function basicToken({ headers }: FastifyRequest): string | null {
  const encoded = /^basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (encoded === undefined) return null
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? null : pair.slice(colon + 1) || pair.slice(0, colon)
}

function osmandIn(request: FastifyRequest): { readonly id: string | null; readonly said: Said } {
  const body = bodyBytes(request)
  const query = request.query as Fields
  const json = body.length > 0 && body[0] === BRACE ? jsonIn(body) : undefined
  if (isJsonObject(json))
    return { id: idIn(json.device_id) ?? idIn(query.id), said: readOsmandJson(json) ?? readOsmandQuery(query) }
  const sent: Fields = body.length > 0 && body[0] !== BRACE ? { ...query, ...parse(body.toString('utf8')) } : query
  const id = idIn(sent.id) ?? idIn(sent.deviceid)
  if (body[0] === BRACE) return { id, said: readOsmandQuery(query) }
  return { id, said: readOsmandQuery(sent) ?? 'nothing' }
}

const BRACE = 0x7b
const idIn = (value: unknown): string | null => {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' && first !== '' ? first : null
}
