import type { FastifyRequest } from 'fastify'

const SAFE = new Set(['GET', 'HEAD'])
/** `none`: the person typed the address, or opened a bookmark. */
const OWN_SITES = new Set(['same-origin', 'none'])
const LOOPBACK = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

function urlOf(origin: string | undefined): URL | null {
  try {
    return origin === undefined ? null : new URL(origin)
  } catch {
    return null
  }
}

/**
 * Whether a browser sends this request for one of our pages. Another site may make it send one, with the cookie if that
 * site shares our domain: so a change needs a header that only our own page can add, and an `Origin` that is this host
 * or `publicUrl`, scheme and port included. Over plain HTTP the page may still have come with TLS, which a proxy ended.
 */
export function isOwnPage({ headers, method, host, protocol }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && !OWN_SITES.has(String(site))) return false
  if (SAFE.has(method)) return true
  if (headers['x-tocsin-console'] !== '1' || headers.origin === undefined) return false
  const schemes = protocol === 'https' ? ['https'] : ['https', 'http']
  const own = [publicUrl, ...schemes.map((scheme) => `${scheme}://${host}`)]
  return own.some((url) => urlOf(url)?.origin === headers.origin)
}

/**
 * Whether the page that sends a change came over TLS, or from this machine. Only there does a browser keep the cookie
 * (Safari needs TLS even there), and a page that came without TLS may not speak for one that came with it. `Origin`
 * says how the browser sees it, also where a proxy in between ends TLS.
 */
export function isSecurePage({ headers, method }: FastifyRequest): boolean {
  const origin = urlOf(headers.origin)
  return SAFE.has(method) || (origin !== null && (origin.protocol === 'https:' || LOOPBACK.test(origin.hostname)))
}
