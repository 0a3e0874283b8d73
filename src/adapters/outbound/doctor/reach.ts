import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { SECOND } from '../../../lib/durations.ts'
import { failureText } from '../http/http-failure.ts'

const WITHIN_MS = 5 * SECOND

/**
 * Connects to the server of an http or https address, with its certificate checked, and says nothing: it cannot be
 * taken for a message. Resolves with the failure text, null if it was reached. Never rejects.
 */
export function reach(url: string): Promise<string | null> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isSecure = protocol === 'https:'
  return new Promise((resolve) => {
    const at = { host, port: Number(port) || (isSecure ? 443 : 80) }
    const socket = isSecure ? connectTls({ ...at, servername: /^[\d.]+$|:/.test(host) ? '' : host }) : connect(at)
    const end = (failure: string | null): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.setTimeout(WITHIN_MS, () => end('connection timeout'))
    socket.once(isSecure ? 'secureConnect' : 'connect', () => end(null))
    socket.once('error', (error) => end(failureText(error)))
  })
}

/** No token looks like this, so nothing is looked up for it. */
const NO_LINK = '/t/doctor'
/** As every tracking page says it (`pageHeaders`). */
const TRACKING_ROBOTS = 'noindex, nofollow, noarchive'

type Link =
  | {
      readonly status: number
      readonly isOurs: boolean
      /** The https address, in place of `publicUrl`, that it leads to and where the page is ours. */
      readonly securedAt?: string
    }
  | { readonly failed: string }

/**
 * The answer at a tracking link below `publicUrl`, as this machine sees it. `isOurs`: the page of a service like this
 * one. A redirect is followed once, from http to https of the same host. Never rejects.
 */
export async function openLink(publicUrl: string, get: typeof fetch = fetch): Promise<Link> {
  try {
    const link = `${publicUrl}${NO_LINK}`
    const signal = AbortSignal.timeout(WITHIN_MS)
    const { status, isOurs, location } = await look(link, { get, signal })
    const target = status >= 300 && status < 400 ? URL.parse(location ?? '', link) : null
    const from = new URL(link)
    const isSecured = from.protocol === 'http:' && target?.protocol === 'https:' && target.hostname === from.hostname
    if (!isSecured || !target.pathname.endsWith(NO_LINK) || !(await look(target.href, { get, signal })).isOurs)
      return { status, isOurs }
    return { status, isOurs, securedAt: target.href.slice(0, target.href.indexOf(NO_LINK)) }
  } catch (error) {
    return { failed: failureText(error) }
  }
}

async function look(url: string, { get, signal }: { readonly get: typeof fetch; readonly signal: AbortSignal }) {
  const answer = await get(url, { redirect: 'manual', signal })
  await answer.body?.cancel()
  const { status, headers } = answer
  // Many programs number their requests; none of them has this page.
  const isPage = headers.has('x-request-id') && headers.get('x-robots-tag') === TRACKING_ROBOTS
  return { status, isOurs: status === 404 && isPage, location: headers.get('location') }
}
