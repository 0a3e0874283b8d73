import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../../../../ports/log.ts'
import { throttleOf } from '../admission/throttle.ts'
import { logFault, problemOfFault } from '../answers/faults.ts'
import { statusOf } from '../problem.ts'
import { linkPath, notices, sendNotice, TOKEN } from './link.ts'
import { pageHeaders } from './style.ts'

const tokenOf = (request: FastifyRequest): string => (request.params as { readonly token: string }).token

/**
 * The answers of routes behind a tracking link besides their pages: too many requests, an unknown link, a fault.
 * Only the link is limited, never the address.
 */
export function linkReplies(app: FastifyInstance, { log }: { readonly log: Log }) {
  const { slowDown, link } = throttleOf(app)
  app.setErrorHandler((error, request, reply) => {
    logFault(log, request, error)
    const { kind, headers = {} } = problemOfFault(error)
    const token = tokenOf(request)
    reply.headers(headers)
    return sendNotice(request, reply, statusOf[kind], 'failed', TOKEN.test(token) ? linkPath(token) : null)
  })
  const wait = (request: FastifyRequest, reply: FastifyReply, seconds: number): FastifyReply => {
    reply.header('retry-after', String(seconds))
    return sendNotice(request, reply, statusOf.RATE_LIMITED, 'failed', linkPath(tokenOf(request)))
  }
  const options = { schema: { hide: true }, config: { unlimited: true } }
  return {
    /** Options of a route that is never limited. */
    options,
    /** Options of one with few requests a minute for each link. */
    limited: {
      ...options,
      async onRequest(request: FastifyRequest, reply: FastifyReply) {
        const seconds = TOKEN.test(tokenOf(request)) ? await link(request) : null
        if (seconds !== null) return wait(request, reply, seconds)
      },
    },
    wait,
    async refuse(request: FastifyRequest, reply: FastifyReply, refused: keyof typeof notices): Promise<FastifyReply> {
      if (refused === 'unknown_link') await slowDown(request)
      const { status, notice } = notices[refused]
      return sendNotice(request, reply, status, notice)
    },
    /** Back to the page of the link. */
    back: (reply: FastifyReply, token: string): FastifyReply =>
      reply.code(303).headers(pageHeaders).header('location', linkPath(token)).send(''),
  }
}
