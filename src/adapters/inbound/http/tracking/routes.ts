import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { logFault, problemOfFault } from '../faults.ts'
import { ignoreBody } from '../json-body.ts'
import type { HttpParts } from '../parts.ts'
import { statusOf } from '../problem.ts'
import { throttleOf } from '../throttle.ts'
import { languagesOf, textsFor } from './language.ts'
import { noticeDocument, trackingDocument } from './page.ts'
import { pageHeaders } from './style.ts'

type Notice = Parameters<typeof noticeDocument>[0]
type TokenRequest = FastifyRequest<{ Params: { token: string } }>

const notices = {
  unknown_link: { status: 404, notice: 'unknown' },
  link_expired: { status: 410, notice: 'expired' },
} as const

/**
 * Base64url, at least 128 bits. Nothing else can be one of our tokens, so nothing else is looked up
 * or written anywhere.
 */
const TOKEN = /^[A-Za-z0-9_-]{16,256}$/
const pathOf = (token: string): string => `/t/${token}`

const textsOf = (request: FastifyRequest) => textsFor(languagesOf(request.headers['accept-language']))

const sendNotice = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  notice: Notice,
  back: string | null = null,
): FastifyReply =>
  reply
    .code(status)
    .headers(pageHeaders)
    .send(noticeDocument(notice, textsOf(request), back))

/**
 * The public tracking link. rules.md#tracking-links: GET and HEAD change nothing, whatever prefetches or scans
 * them; the button POSTs.
 *
 * The POST carries no further proof that it comes from our page, and needs none: nothing identifies the sender but the
 * token in the address (no cookie, no login), so another site cannot borrow anybody's right. Whoever can name the
 * address holds the link itself, and with it the button.
 */
export const trackingRoutes =
  ({ tracking, clock, log }: HttpParts): FastifyPluginCallback =>
  (app, _options, done) => {
    // An answer to an alarm is a part of it: whoever holds the link is never told to come back later.
    const options = { schema: { hide: true }, config: { unlimited: true } }
    const { slowDown } = throttleOf(app)
    ignoreBody(app)
    app.setErrorHandler((error, request, reply) => {
      logFault(log, request, error)
      const { kind, headers = {} } = problemOfFault(error)
      const { token } = request.params as { token: string }
      reply.headers(headers)
      return sendNotice(request, reply, statusOf[kind], 'failed', TOKEN.test(token) ? pathOf(token) : null)
    })

    app.get('/t/:token', options, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const page = TOKEN.test(token) ? await tracking.page(token) : ({ refused: 'unknown_link' } as const)
      if ('refused' in page) {
        if (page.refused === 'unknown_link') await slowDown(request)
        const { status, notice } = notices[page.refused]
        return sendNotice(request, reply, status, notice)
      }
      const texts = textsFor([page.contact.language, ...languagesOf(request.headers['accept-language'])])
      return reply.headers(pageHeaders).send(trackingDocument(page, texts, pathOf(token), clock.now()))
    })

    app.post('/t/:token/ack', options, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const done = TOKEN.test(token) ? await tracking.acknowledge(token) : ({ refused: 'unknown_link' } as const)
      if ('refused' in done) {
        if (done.refused === 'unknown_link') await slowDown(request)
        const { status, notice } = notices[done.refused]
        return sendNotice(request, reply, status, notice)
      }
      return reply.code(303).headers(pageHeaders).header('location', pathOf(token)).send('')
    })

    // Where a browser reopens the address that the form went to. rules.md#tracking-links: 405.
    app.get('/t/:token/ack', options, async (request: TokenRequest, reply) => {
      const { token } = request.params
      reply.header('allow', 'POST')
      return sendNotice(request, reply, 405, 'back', TOKEN.test(token) ? pathOf(token) : null)
    })
    done()
  }
