/** A reason why contacts cannot open links that begin with `publicUrl`. rules.md#tracking-links. */
export type PublicUrlFinding = 'public_url_loopback' | 'public_url_private'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]|0\.0\.0\.0|\[::\]|(.+\.)?localhost)$/
/** RFC 1918, link-local and carrier-grade NAT addresses, and their IPv6 counterparts. */
const PRIVATE_ADDRESS =
  /^(10\.\d|192\.168\.\d|172\.(1[6-9]|2\d|3[01])\.\d|169\.254\.\d|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d)[\d.]*$|^\[(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/
const PRIVATE_NAME = /\.(local|lan|internal|home\.arpa)$|^[^.[\]]+$/

/**
 * Whether links with this base open on this machine only (or there is no base), or in its own network only; else null.
 */
export function publicUrlFinding(publicUrl: string): PublicUrlFinding | null {
  if (publicUrl === '' || !URL.canParse(publicUrl)) return 'public_url_loopback'
  const host = new URL(publicUrl).hostname.toLowerCase().replace(/\.$/, '')
  if (LOOPBACK.test(host)) return 'public_url_loopback'
  return PRIVATE_ADDRESS.test(host) || PRIVATE_NAME.test(host) ? 'public_url_private' : null
}

/** A link's address, or null if only this machine could open it: in an SMS it would only waste space. */
export const linkAt = (publicUrl: string, path: string): string | null =>
  publicUrlFinding(publicUrl) === 'public_url_loopback' ? null : `${publicUrl}${path}`

const REMEDY = 'docs/operating.md, The link must open'

/** The finding as a concern of the site, worded for the operator. */
export function publicUrlConcern(publicUrl: string): string | null {
  const finding = publicUrlFinding(publicUrl)
  switch (finding) {
    case 'public_url_loopback':
      return `${finding}: links at ${publicUrl || 'no address'} open on this machine only, so messages carry none: set publicUrl to an address that contacts can reach (${REMEDY})`
    case 'public_url_private':
      return `${finding}: links at ${publicUrl} open in this network only: set publicUrl to an address that contacts can reach (${REMEDY})`
    case null:
      return null
    default:
      return finding satisfies never
  }
}
