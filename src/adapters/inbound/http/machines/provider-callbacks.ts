import { parse } from 'node:querystring'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { ProviderPost } from '../../../../ports/provider-callbacks.ts'
import { answerFault } from '../faults.ts'
import type { HttpParts } from '../parts.ts'
import { answer, NOTHING_HERE } from '../problem.ts'
import { twilioDocs } from '../schemas/machines.ts'
import { userTurns } from '../user-turns.ts'
import { asSent } from '../validation.ts'

/** Many times what a provider sends. */
const BODY_LIMIT_BYTES = 16 * 1024
/** `{incidentId}.{n}`. Anything else is not an attempt. */
const ATTEMPT = /^[\w-]{1,64}\.\d{1,15}$/

type AttemptRequest = FastifyRequest<{ Params: { attemptId: string } }>

/**
 * Receives Twilio's status reports on attempts and the keys pressed in calls. A request without Twilio's valid
 * signature gets a 403. Not rate-limited by address: all of a provider's receipts come from a few addresses, and none
 * may be lost. Without a provider that calls back, these paths do not exist.
 */
export const providerCallbackRoutes =
  ({ providerCallbacks = null, log }: HttpParts): FastifyPluginCallback =>
  (app, _options, done) => {
    if (providerCallbacks === null) return done()
    app.setErrorHandler(answerFault(null, log))
    app.removeAllContentTypeParsers()
    const turn = userTurns(app)
    const form = { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES } as const
    const type = 'application/x-www-form-urlencoded'
    app.addContentTypeParser(type, form, async (request: FastifyRequest, body: string) => {
      await turn(request)
      return parse(body)
    })
    const options = { bodyLimit: BODY_LIMIT_BYTES, validatorCompiler: asSent, config: { unlimited: true } }

    const { status, call } = twilioDocs
    app.post('/twilio/:attemptId/status', { ...options, schema: status }, async (request: AttemptRequest, reply) => {
      const post = postOf(request)
      if (post === null) return unknown(reply)
      const taken = await providerCallbacks.status(post)
      return 'refused' in taken ? forged(reply) : reply.code(204).send()
    })

    app.post('/twilio/:attemptId/call', { ...options, schema: call }, async (request: AttemptRequest, reply) => {
      const post = postOf(request)
      if (post === null) return unknown(reply)
      const next = await providerCallbacks.call(post)
      if ('refused' in next) return forged(reply)
      return reply
        .header('cache-control', 'no-store')
        .type('text/xml; charset=utf-8')
        .serializer(String)
        .send(next.document)
    })
    done()
  }

function postOf({ params, body, headers, raw }: AttemptRequest): ProviderPost | null {
  const { attemptId } = params
  if (!ATTEMPT.test(attemptId)) return null
  const signature = headers['x-twilio-signature']
  const url = raw.url ?? ''
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : ''
  const form = (body ?? {}) as ProviderPost['params']
  return { attemptId, query, params: form, signature: typeof signature === 'string' ? signature : null }
}

const unknown = (reply: FastifyReply) => answer(reply, null, NOTHING_HERE)

const forged = (reply: FastifyReply) =>
  answer(reply, null, { kind: 'FORBIDDEN', message: 'The signature of this request is not valid.' })
