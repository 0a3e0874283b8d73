import type { IncomingMessage } from 'node:http'

/**
 * Whether a request means the same to everyone who reads it: two `Host` headers are for a proxy to take one and for us
 * to take the other, and HTTP/0.9 has neither headers nor statuses (RFC 9112, 3.2 and A.1).
 */
export function isPlain({ httpVersionMajor, rawHeaders }: Pick<IncomingMessage, 'httpVersionMajor' | 'rawHeaders'>) {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts += 1
  }
  return httpVersionMajor > 0 && hosts <= 1
}
