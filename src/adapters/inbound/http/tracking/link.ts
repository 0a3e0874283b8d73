import type { FastifyReply, FastifyRequest } from 'fastify'
import { languagesOf, textsFor } from './language.ts'
import { noticeDocument } from './page.ts'
import { pageHeaders } from './style.ts'

type NoticePage = Parameters<typeof noticeDocument>[0]

/** The answers to links that lead nowhere. */
export const notices = {
  unknown_link: { status: 404, notice: 'unknown' },
  link_expired: { status: 410, notice: 'expired' },
} as const

/** Base64url, at least 128 bits. Anything else is not one of our tokens, and is neither looked up nor stored. */
export const TOKEN = /^[A-Za-z0-9_-]{16,256}$/
export const linkPath = (token: string): string => `/t/${token}`

const textsOf = (request: FastifyRequest) => textsFor(languagesOf(request.headers['accept-language']))

export const sendNotice = (
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
