import { parse } from 'node:querystring'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { Origin } from '../../../../app/field/take-report.ts'
import { readOsmandJson, readOsmandQuery } from '../../../../core/field/osmand.ts'
import { readOwnTracks } from '../../../../core/field/owntracks.ts'
import type { Report } from '../../../../core/field/report.ts'
import { isJsonObject } from '../../../../core/ingest/json.ts'
import { throttleOf } from '../admission/throttle.ts'
import { answerFault } from '../faults.ts'
import { bodyBytes, takeBytes } from '../json-body.ts'
import type { HttpParts } from '../parts.ts'
import { answer, type Problem } from '../problem.ts'
import { trackerDocs } from '../schemas/machines.ts'
import { asSent } from '../validation.ts'

const PATH = '/v1/trackers'
/** Many times what the apps send. */
const BODY_LIMIT_BYTES = 16 * 1024

type Fields = Readonly<Record<string, unknown>>
/** What a request says, once its token is known. Null: it cannot be read. `nothing`: it is sound, and no report. */
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
export const fieldTrackerRoutes =
  (parts: HttpParts): FastifyPluginCallback =>
  (app, _options, done) => {
    if (parts.trackers === undefined) return done()
    const { of, reports } = parts.trackers
    app.setErrorHandler(answerFault(null, parts.log))
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

    app.post(`${PATH}/owntracks`, { ...options, schema: trackerDocs.ownTracks }, async (request, reply) => {
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
      [`${PATH}/osmand`, trackerDocs.osmand],
      [`${PATH}/osmand/:token`, trackerDocs.osmandByToken],
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
