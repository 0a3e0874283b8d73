import type { IncomingHttpHeaders } from 'node:http'

/** `__Host-`: browsers take it from no other host, no path of it and no subdomain, and send it over TLS alone. */
const COOKIE = '__Host-tocsin'
const COOKIE_VALUE = /(?:^|;) *__Host-tocsin=([A-Za-z0-9_-]{40,100})(?=;|$)/g
const TOKEN = /^bearer +(tocsin_[A-Za-z0-9_-]{40,100})$/i
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** The credential of a request. A token takes precedence: with one, no browser has added a cookie. */
export type Credential = { readonly kind: 'cookie' | 'token'; readonly secret: string }

/** Null: none, or not in our format. */
export function credentialOf({ authorization, cookie = '' }: IncomingHttpHeaders): Credential | null {
  if (authorization !== undefined) {
    const token = TOKEN.exec(authorization)?.[1]
    return token === undefined ? null : { kind: 'token', secret: token }
  }
  const [secret, ...others] = [...cookie.matchAll(COOKIE_VALUE)].map(([, value]) => value!)
  return secret === undefined || others.length > 0 ? null : { kind: 'cookie', secret }
}

/** The header that keeps a session in the browser for at most `maxAgeMs`. */
export const keepCookie = (secret: string, maxAgeMs: number): string =>
  `${COOKIE}=${secret}; Max-Age=${Math.floor(maxAgeMs / 1000)}; ${ATTRIBUTES}`

/** The header that removes it. */
export const FORGET_COOKIE = `${COOKIE}=; Max-Age=0; ${ATTRIBUTES}`
