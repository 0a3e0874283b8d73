import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isBlockedAddress, isBlockedHost } from './blocked-address.ts'

/** Addresses of a host name, all of them. Rejects as `dns.lookup` does. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** Set on the error with which the guard refuses a connection. */
const BLOCKED = 'E_BLOCKED_ADDRESS'

/** Slower links than this are satellites and the like, and even those answer a second address in time. */
const PER_ADDRESS_MS = 1_500
/** An attempt gives up by itself much earlier; this only ends connections that nobody waits for any more. */
const CONNECT_TIMEOUT_MS = 60_000

/**
 * Names by the operating system (hosts file, mDNS, DNS). Each question is asked anew, except that those who ask for a
 * name at the same time share one answer: a lookup without a network holds one of Node's four threads for many seconds.
 */
export function systemResolve(): Resolve {
  const asked = new Map<string, ReturnType<Resolve>>()
  return (hostname) => {
    const shared = asked.get(hostname)
    if (shared !== undefined) return shared
    const answer = systemLookup(hostname, { all: true }).finally(() => asked.delete(hostname))
    asked.set(hostname, answer)
    return answer
  }
}

/**
 * Opens connections for undici. `isBlocked` sees the very addresses that are then connected to, on every new
 * connection: literals here, names in the lookup of the socket itself, so that a name which changes its
 * address between check and use gains nothing. A name with one blocked address is refused as a whole.
 * `isBlocked` null: nothing is refused.
 */
export function guardedConnector(
  resolve: Resolve,
  isBlocked: ((address: string) => boolean) | null = isBlockedAddress,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const blocked = isBlocked !== null && addresses.some(({ address }) => isBlocked(address))
        const [first] = addresses
        if (blocked) callback(refusal(), [])
        else if (options.all || first === undefined) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
  const connect = buildConnector({
    lookup,
    // One protocol whose failures we know: integrations get single small requests.
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
  } as buildConnector.BuildOptions)
  return (options, callback) => {
    // A literal is never looked up, so it would pass the lookup unseen; and no resolver is asked what localhost means.
    if (isBlocked !== null && isRefused(options.hostname, isBlocked)) callback(refusal(), null)
    else connect(options, callback)
  }
}

const isRefused = (host: string, isBlocked: (address: string) => boolean): boolean =>
  isIP(host) === 0 ? isBlockedHost(host) : isBlocked(host)

const refusal = () => Object.assign(new Error('blocked address'), { code: BLOCKED })

/**
 * Whether a target would be refused as things stand: for the moment at which the operator sets it. A name that cannot
 * be resolved now is not blocked; the guard looks again whenever it is called.
 */
export async function isBlockedTarget(url: string, resolve: Resolve = systemResolve()): Promise<boolean> {
  // The URL parser turns decimal, octal and hexadecimal hosts into plain addresses.
  const { hostname } = new URL(url)
  if (isBlockedHost(hostname)) return true
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0) return false
  try {
    const addresses = await resolve(host)
    return addresses.some(({ address }) => isBlockedAddress(address))
  } catch {
    return false
  }
}
