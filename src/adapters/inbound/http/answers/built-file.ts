import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleFile } from '../../../../ports/console-files.ts'

export const ONE_YEAR = 'public, max-age=31536000, immutable'

/**
 * Only files of this service; nothing inline, and no other host but `imageOrigins`. `data:`: icons that count, and QR
 * codes. `more`: further directives.
 */
export const policyOf = (imageOrigins: readonly string[], more: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...imageOrigins].join(' '),
    "connect-src 'self'",
    ...more,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/** Headers of a page with that policy. */
export const bundleHeaders = (policy: string) => ({
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cross-origin-opener-policy': 'same-origin',
})

/** Sends a file of a bundle, compressed to browsers that take it. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFile,
  cacheControl: string,
): FastifyReply {
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') ? file.gzipped : null
  if (zipped !== null) reply.header('content-encoding', 'gzip')
  return reply
    .headers({ vary: 'accept-encoding', 'cache-control': cacheControl })
    .type(file.type)
    .send(zipped ?? file.bytes)
}
