import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { verifyContacts } from '../../../../app/user/verify-contacts.ts'
import type { Logging } from '../admission/admission.ts'
import { throttleOf } from '../admission/throttle.ts'
import { logFault, problemOfFault } from '../answers/faults.ts'
import { ignoreBody } from '../bodies/json-body.ts'
import { statusOf } from '../problem.ts'
import { languagesOf } from '../tracking/language.ts'
import { pageHeaders } from '../tracking/style.ts'
import { verificationDocument, verificationNotice } from './page.ts'
import { verificationTexts } from './texts.ts'

type TokenRequest = FastifyRequest<{ Params: { token: string } }>

const notices = {
  unknown_link: { status: 404, notice: 'unknown' },
  link_expired: { status: 410, notice: 'expired' },
} as const

const TOKEN = /^[A-Za-z0-9_-]{16,64}$/
const answers = { confirm: 'confirmed', decline: 'declined' } as const

const wantedBy = (request: FastifyRequest) => languagesOf(request.headers['accept-language'])

export type VerificationNeeds = Logging & { readonly verification: ReturnType<typeof verifyContacts> }

/**
 * The link that asks a contact (preparing.md#verification). GET and HEAD change nothing: messengers and mail scanners
 * open links before people do. Only the token identifies who answers, as on the tracking page.
 */
export const verificationRoutes =
  ({ verification, log }: VerificationNeeds): FastifyPluginCallback =>
  (app, _options, done) => {
    const { slowDown, link } = throttleOf(app)
    const refuse = (request: FastifyRequest, reply: FastifyReply, { status, notice }: Notice): FastifyReply =>
      reply
        .code(status)
        .headers(pageHeaders)
        .send(verificationNotice(notice, verificationTexts(wantedBy(request))))
    const options = {
      schema: { hide: true },
      async onRequest(request: FastifyRequest, reply: FastifyReply) {
        const { token } = request.params as { token: string }
        const seconds = TOKEN.test(token) ? await link(request) : null
        if (seconds === null) return
        reply.header('retry-after', String(seconds))
        return refuse(request, reply, { status: statusOf.RATE_LIMITED, notice: 'failed' })
      },
    }
    ignoreBody(app)
    app.setErrorHandler((error, request, reply) => {
      logFault(log, request, error)
      const { kind, headers = {} } = problemOfFault(error)
      reply.headers(headers)
      return refuse(request, reply, { status: statusOf[kind], notice: 'failed' })
    })

    app.get('/v/:token', options, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const page = TOKEN.test(token) ? await verification.page(token) : ({ refused: 'unknown_link' } as const)
      if ('refused' in page) {
        if (page.refused === 'unknown_link') await slowDown(request)
        return refuse(request, reply, notices[page.refused])
      }
      const texts = verificationTexts([page.language, ...wantedBy(request)])
      return reply.headers(pageHeaders).send(verificationDocument(page, texts, `/v/${token}`))
    })

    for (const verb of ['confirm', 'decline'] as const) {
      app.post(`/v/:token/${verb}`, options, async (request: TokenRequest, reply) => {
        const { token } = request.params
        const done = TOKEN.test(token)
          ? await verification.answer(token, answers[verb])
          : ({ refused: 'unknown_link' } as const)
        if ('refused' in done) {
          if (done.refused === 'unknown_link') await slowDown(request)
          return refuse(request, reply, notices[done.refused])
        }
        return reply.code(303).headers(pageHeaders).header('location', `/v/${token}`).send('')
      })
    }
    done()
  }

type Notice = { readonly status: number; readonly notice: Parameters<typeof verificationNotice>[0] }
