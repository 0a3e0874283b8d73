import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_ETA_MINUTES } from '../../../../core/incident/answer.ts'
import type { HelpPromise } from '../../../../core/incident/incident.ts'
import { logFault, problemOfFault } from '../faults.ts'
import { ignoreBody } from '../json-body.ts'
import type { HttpParts } from '../parts.ts'
import { statusOf } from '../problem.ts'
import { throttleOf } from '../throttle.ts'
import { languagesOf, textsFor } from './language.ts'
import type { LivePages } from './live-pages.ts'
import { noticeDocument, trackingDocument } from './page.ts'
import { pageHeaders } from './style.ts'

type NoticePage = Parameters<typeof noticeDocument>[0]
type Query = Readonly<Record<string, unknown>>
type TokenRequest = FastifyRequest<{ Params: { token: string }; Querystring: Query }>

const notices = {
  unknown_link: { status: 404, notice: 'unknown' },
  link_expired: { status: 410, notice: 'expired' },
} as const

/**
 * Base64url, at least 128 bits. Anything else is not a token of ours, and is neither looked up nor written anywhere.
 */
const TOKEN = /^[A-Za-z0-9_-]{16,256}$/
const pathOf = (token: string): string => `/t/${token}`

/** How a contact helps; undefined for anything unreadable, which must not cost the answer itself. */
function promiseOf({ coming, calling }: Query): HelpPromise | undefined {
  const etaMinutes = typeof coming === 'string' && /^\d{1,3}$/.test(coming) ? Number(coming) : 0
  if (etaMinutes >= 1 && etaMinutes <= MAX_ETA_MINUTES) return { kind: 'coming', etaMinutes }
  return calling === undefined ? undefined : { kind: 'calling' }
}

const textsOf = (request: FastifyRequest) => textsFor(languagesOf(request.headers['accept-language']))

const sendNotice = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  notice: NoticePage,
  back: string | null = null,
): FastifyReply =>
  reply
    .code(status)
    .headers(pageHeaders)
    .send(noticeDocument(notice, textsOf(request), back))

/**
 * The public tracking link (rules.md#tracking-links). GET and HEAD change nothing, whatever prefetches or scans them;
 * the buttons send a POST.
 *
 * It needs no further proof that it comes from our page. Only the token in the address identifies the sender (no
 * cookie, no login), so another site cannot borrow a visitor's rights. Anyone who knows the address has the link
 * itself, and with it the button.
 */
export const trackingRoutes =
  ({ tracking, clock, log, onIncidentChange }: HttpParts, live: LivePages): FastifyPluginCallback =>
  (app, _options, done) => {
    // Answering an alarm is part of the alarm: a holder of the link is never rate-limited.
    const options = { schema: { hide: true }, config: { unlimited: true } }
    const { slowDown } = throttleOf(app)
    onIncidentChange?.((incidentId) => live.changed(incidentId))
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

    const answered = {
      ack: (token: string, request: TokenRequest) => tracking.acknowledge(token, promiseOf(request.query)),
      decline: (token: string) => tracking.decline(token),
    }
    for (const [verb, answer] of Object.entries(answered)) {
      app.post(`/t/:token/${verb}`, options, async (request: TokenRequest, reply) => {
        const { token } = request.params
        const done = TOKEN.test(token) ? await answer(token, request) : ({ refused: 'unknown_link' } as const)
        if ('refused' in done) {
          if (done.refused === 'unknown_link') await slowDown(request)
          const { status, notice } = notices[done.refused]
          return sendNotice(request, reply, status, notice)
        }
        return reply.code(303).headers(pageHeaders).header('location', pathOf(token)).send('')
      })

      // For browsers that reopen the address that the form was sent to. rules.md#tracking-links: 405.
      app.get(`/t/:token/${verb}`, options, async (request: TokenRequest, reply) => {
        const { token } = request.params
        reply.header('allow', 'POST')
        return sendNotice(request, reply, 405, 'back', TOKEN.test(token) ? pathOf(token) : null)
      })
    }

    app.get('/t/:token/events', { ...options, exposeHeadRoute: false }, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const page = TOKEN.test(token) ? await tracking.page(token) : ({ refused: 'unknown_link' } as const)
      if ('refused' in page) {
        if (page.refused === 'unknown_link') await slowDown(request)
        const { status, notice } = notices[page.refused]
        return sendNotice(request, reply, status, notice)
      }
      const texts = textsFor([page.contact.language, ...languagesOf(request.headers['accept-language'])])
      const known = String(request.headers['last-event-id'] ?? request.query.version ?? '')
      const reader = { token, path: pathOf(token), texts, known, incidentId: page.incidentId }
      if (!live.open(reply, reader)) {
        return reply
          .code(503)
          .headers({ ...pageHeaders, 'retry-after': '60' })
          .send('')
      }
      return reply
    })
    done()
  }
