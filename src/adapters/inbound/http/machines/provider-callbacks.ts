import { parse } from 'node:querystring'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ProviderCallbacks, ProviderPost } from '../../../../ports/provider-callbacks.ts'
import type { Logging } from '../admission/admission.ts'
import { answerFault } from '../answers/faults.ts'
import { userTurns } from '../bodies/user-turns.ts'
import { asSent } from '../bodies/validation.ts'
import { answer, NOTHING_HERE } from '../problem.ts'
import { errors } from '../schemas/error.ts'

/** Many times what a provider sends. */
const BODY_LIMIT_BYTES = 16 * 1024
/** `{incidentId}.{n}`. Anything else is not an attempt. */
const ATTEMPT = /^[\w-]{1,64}\.\d{1,15}$/

const attemptId = '0190b2e7-4c15-7f08-b3d1-9e8a6c5f2041.1'
const attempt = z.object({ attemptId: z.string().meta({ description: '`{incidentId}.{n}`' }) })
const shared = {
  tags: ['Provider callbacks'],
  security: [{ twilioSignature: [] }],
  consumes: ['application/x-www-form-urlencoded'],
}
const refusedWith = errors(403, 404, 413, 415, 503)

const docs = {
  status: {
    ...shared,
    operationId: 'takeTwilioStatus',
    summary: 'The status of an SMS or a call',
    description:
      'Twilio reports the status of an SMS or a call. The route exists only where Twilio calls back (`twilio.receipts`). 403 without a valid signature over `publicUrl`. Never rate limited.',
    params: attempt,
    body: z.object({
      MessageSid: z.string().optional(),
      MessageStatus: z.string().optional(),
      CallSid: z.string().optional(),
      CallStatus: z.string().optional(),
      ErrorCode: z.string().optional(),
    }),
    response: { 204: z.null(), ...refusedWith },
    examples: {
      parameters: { attemptId },
      body: { MessageSid: 'SM00000000000000000000000000000000', MessageStatus: 'delivered' },
    },
  },
  call: {
    ...shared,
    operationId: 'takeTwilioKey',
    summary: 'What a call says next',
    description:
      'Twilio passes on the key that a contact pressed, and gets what the call says next. The route exists only where Twilio calls back (`twilio.receipts`). 403 without a valid signature over `publicUrl`. Never rate limited.',
    params: attempt,
    querystring: z.object({ round: z.string().optional(), language: z.string().optional() }),
    body: z.object({
      CallSid: z.string().optional(),
      Digits: z.string().optional().meta({ description: 'The keys that were pressed' }),
    }),
    response: {
      200: { description: 'TwiML', content: { 'text/xml': { schema: z.string() } } },
      ...refusedWith,
    },
    examples: {
      parameters: { attemptId, round: '1', language: 'de' },
      body: { CallSid: 'CA00000000000000000000000000000000', Digits: '1' },
      answers: { 200: '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>' },
    },
  },
}

const smsDocs = {
  ...shared,
  operationId: 'takeTwilioSms',
  summary: 'A text to the number',
  description:
    'Twilio delivers a text to its number: an SOS by SMS, or its end. 403 without a valid signature over `publicUrl`. Never rate limited.',
  body: z.object({ MessageSid: z.string(), From: z.string(), Body: z.string().optional() }),
  response: {
    200: { description: 'TwiML without a reply', content: { 'text/xml': { schema: z.string() } } },
    ...refusedWith,
  },
  examples: {
    body: { MessageSid: 'SM00000000000000000000000000000000', From: '+436601234567', Body: 'SOS 47.0638,12.6921' },
    answers: { 200: '<?xml version="1.0" encoding="UTF-8"?><Response/>' },
  },
}

export type ProviderCallbackNeeds = Logging & {
  /** Null if no provider calls back. */
  readonly providerCallbacks?: ProviderCallbacks | null
}

type AttemptRequest = FastifyRequest<{ Params: { attemptId: string } }>

/**
 * Receives Twilio's status reports on attempts and the keys pressed in calls. A request without Twilio's valid
 * signature gets a 403. Not rate-limited by address: all of a provider's receipts come from a few addresses, and none
 * may be lost. Without a provider that calls back, these paths do not exist.
 */
export const providerCallbackRoutes =
  ({ providerCallbacks = null, log }: ProviderCallbackNeeds): FastifyPluginCallback =>
  (app, _options, done) => {
    if (providerCallbacks === null) return done()
    app.setErrorHandler(answerFault(null, log))
    app.removeAllContentTypeParsers()
    const turn = userTurns(app)
    app.addHook('onRequest', async (_request, reply) => {
      if (providerCallbacks.isOn?.() === false) return reply.callNotFound()
    })
    const form = { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES } as const
    const type = 'application/x-www-form-urlencoded'
    app.addContentTypeParser(type, form, async (request: FastifyRequest, body: string) => {
      await turn(request)
      return parse(body)
    })
    const options = { bodyLimit: BODY_LIMIT_BYTES, validatorCompiler: asSent, config: { unlimited: true } }

    app.post('/twilio/sms', { ...options, schema: smsDocs }, async (request, reply) => {
      const taken = await providerCallbacks.sms(signedPost(request))
      if ('refused' in taken) return forged(reply)
      return reply.type('text/xml; charset=utf-8').serializer(String).send(smsDocs.examples.answers[200])
    })

    app.post(
      '/twilio/:attemptId/status',
      { ...options, schema: docs.status },
      async (request: AttemptRequest, reply) => {
        const post = postOf(request)
        if (post === null) return unknown(reply)
        const taken = await providerCallbacks.status(post)
        return 'refused' in taken ? forged(reply) : reply.code(204).send()
      },
    )

    app.post('/twilio/:attemptId/call', { ...options, schema: docs.call }, async (request: AttemptRequest, reply) => {
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

function postOf(request: AttemptRequest): ProviderPost | null {
  const { attemptId } = request.params
  return ATTEMPT.test(attemptId) ? { attemptId, ...signedPost(request) } : null
}

function signedPost({ body, headers, raw }: FastifyRequest): Omit<ProviderPost, 'attemptId'> {
  const signature = headers['x-twilio-signature']
  const url = raw.url ?? ''
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : ''
  const form = (body ?? {}) as ProviderPost['params']
  return { query, params: form, signature: typeof signature === 'string' ? signature : null }
}

const unknown = (reply: FastifyReply) => answer(reply, null, NOTHING_HERE)

const forged = (reply: FastifyReply) =>
  answer(reply, null, { kind: 'FORBIDDEN', message: 'The signature of this request is not valid.' })
