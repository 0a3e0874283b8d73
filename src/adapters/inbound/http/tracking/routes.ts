import type { FastifyPluginCallback, FastifyRequest } from 'fastify'
import { MAX_ETA_MINUTES } from '../../../../core/incident/answer.ts'
import type { HelpPromise } from '../../../../core/incident/incident.ts'
import { ignoreBody } from '../bodies/json-body.ts'
import { siteMap } from '../map/site-map.ts'
import { languagesOf, textsFor } from './language.ts'
import { linkPath, sendNotice, TOKEN } from './link.ts'
import { linkReplies } from './link-replies.ts'
import type { LivePageNeeds, LivePages } from './live-pages.ts'
import { trackingDocument } from './page.ts'
import { mapHeaders, pageHeaders } from './style.ts'

type Query = Readonly<Record<string, unknown>>
type ShowRequest = FastifyRequest<{ Params: { token: string; contactId: string } }>
type TokenRequest = FastifyRequest<{ Params: { token: string }; Querystring: Query }>

/** The help that a contact offers; undefined for anything unreadable, which must not cost the answer itself. */
function promiseOf({ coming, calling }: Query): HelpPromise | undefined {
  const etaMinutes = typeof coming === 'string' && /^\d{1,3}$/.test(coming) ? Number(coming) : 0
  if (etaMinutes >= 1 && etaMinutes <= MAX_ETA_MINUTES) return { kind: 'coming', etaMinutes }
  return calling === undefined ? undefined : { kind: 'calling' }
}

export type TrackingNeeds = LivePageNeeds & {
  /**
   * Calls `listener` with the incident of each commit, on whichever node. Also where nothing was announced: a further
   * press while the contacts are being told has no event, and may bring a newer position.
   */
  readonly onIncidentChange?: (listener: (incidentId: string) => void) => void
}

/**
 * The public tracking link (rules.md#tracking-links). GET and HEAD change nothing, whatever prefetches or scans them;
 * the buttons send a POST.
 *
 * It needs no further proof that it comes from our page. Only the token in the address identifies the sender (no
 * cookie, no login), so another site cannot borrow a visitor's rights. Anyone who knows the address has the link
 * itself, and with it the button.
 */
export const trackingRoutes =
  (needs: TrackingNeeds, live: LivePages): FastifyPluginCallback =>
  (app, _options, done) => {
    const { tracking, clock, log, onIncidentChange } = needs
    // Answering an alarm is part of the alarm: it is never rate-limited, and reading never by address alone.
    const { options, limited: reading, refuse, back } = linkReplies(app, { log })
    onIncidentChange?.((incidentId) => live.changed(incidentId))
    /** The target of a link. A string that cannot be a token is unknown like any other, and is not looked up. */
    const at = async <T>(token: string, look: (token: string) => Promise<T>) =>
      TOKEN.test(token) ? look(token) : ({ refused: 'unknown_link' } as const)
    ignoreBody(app)

    app.get('/t/:token', reading, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const page = await at(token, tracking.page)
      if ('refused' in page) return refuse(request, reply, page.refused)
      const texts = textsFor([page.contact.language, ...languagesOf(request.headers['accept-language'])])
      const site = siteMap(needs)
      const text = trackingDocument(page, texts, linkPath(token), clock.now(), site?.sources)
      return reply.headers(site === null ? pageHeaders : mapHeaders(site.imageOrigins)).send(text)
    })

    app.get('/t/:token/trail', reading, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const trail = await at(token, tracking.trail)
      if ('refused' in trail) return refuse(request, reply, trail.refused)
      return reply.headers({ ...pageHeaders, 'content-type': 'application/json; charset=utf-8' }).send(trail)
    })

    const answered = {
      ack: (token: string, request: TokenRequest) => tracking.acknowledge(token, promiseOf(request.query)),
      decline: (token: string) => tracking.decline(token),
      stranger: (token: string) => tracking.stop(token),
      start: (token: string) => tracking.start(token),
    }
    for (const [verb, answer] of Object.entries(answered)) {
      app.post(`/t/:token/${verb}`, options, async (request: TokenRequest, reply) => {
        const { token } = request.params
        const done = await at(token, () => answer(token, request))
        if ('refused' in done) return refuse(request, reply, done.refused)
        return back(reply, token)
      })

      // For browsers that reopen the address that the form was sent to. rules.md#tracking-links: 405.
      app.get(`/t/:token/${verb}`, options, async (request: TokenRequest, reply) => {
        const { token } = request.params
        reply.header('allow', 'POST')
        return sendNotice(request, reply, 405, 'back', TOKEN.test(token) ? linkPath(token) : null)
      })
    }

    app.post('/t/:token/show-position/:contactId', options, async (request: ShowRequest, reply) => {
      const { token, contactId } = request.params
      const done = await at(token, () => tracking.showPosition(token, contactId))
      if ('refused' in done) return refuse(request, reply, done.refused)
      return back(reply, token)
    })

    app.get('/t/:token/show-position/:contactId', options, async (request: ShowRequest, reply) => {
      const { token } = request.params
      reply.header('allow', 'POST')
      return sendNotice(request, reply, 405, 'back', TOKEN.test(token) ? linkPath(token) : null)
    })

    app.get('/t/:token/events', { ...reading, exposeHeadRoute: false }, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const page = await at(token, tracking.page)
      if ('refused' in page) return refuse(request, reply, page.refused)
      const texts = textsFor([page.contact.language, ...languagesOf(request.headers['accept-language'])])
      const known = String(request.headers['last-event-id'] ?? request.query.version ?? '')
      const reader = { token, path: linkPath(token), texts, known, incidentId: page.incidentId }
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
