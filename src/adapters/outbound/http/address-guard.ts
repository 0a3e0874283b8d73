import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isBlockedAddress, isBlockedHost } from './blocked-address.ts'

/** Resolves a host name to all of its addresses. Rejects as `dns.lookup` does. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** The code of the error with which the guard refuses a connection. */
const BLOCKED = 'E_BLOCKED_ADDRESS'

/** Only satellite links and the like are slower, and even those reach a second address in time. */
const PER_ADDRESS_MS = 1_500
/** An attempt gives up much earlier; this only ends abandoned connections. */
const CONNECT_TIMEOUT_MS = 60_000

/**
 * Resolves names through the operating system (hosts file, mDNS, DNS). Nothing is cached, but simultaneous look-ups of
 * one name share one answer: a look-up without a network blocks one of Node's four threads for many seconds.
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
 * Opens connections for undici. On every new connection, `isBlocked` checks the addresses that are actually connected
 * to: literals here, names in the socket's own look-up. So a name that changes its address between check and use gains
 * nothing. A name with one blocked address is refused entirely. If `isBlocked` is null, nothing is refused.
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
    // A single protocol with known failures: integrations get single small requests.
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
  } as buildConnector.BuildOptions)
  return (options, callback) => {
    // Literals are never looked up, so they would bypass that check. And no resolver gets to decide what localhost
    // means.
    if (isBlocked !== null && isRefused(options.hostname, isBlocked)) callback(refusal(), null)
    else connect(options, callback)
  }
}

const isRefused = (host: string, isBlocked: (address: string) => boolean): boolean =>
  isIP(host) === 0 ? isBlockedHost(host) : isBlocked(host)

const refusal = () => Object.assign(new Error('blocked address'), { code: BLOCKED })

/**
 * Whether a target would be refused now, for when the operator configures it. A name that cannot be resolved now is not
 * blocked; the guard checks again at every call.
 */
export async function isBlockedTarget(url: string, resolve: Resolve = systemResolve()): Promise<boolean> {
  // The URL parser normalises decimal, octal and hexadecimal hosts to plain addresses.
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
