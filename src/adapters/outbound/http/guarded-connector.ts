import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector as Connectors } from 'undici'
import { buildConnector } from 'undici'
import type { Resolve } from './address-guard.ts'
import { isBlockedAddress, isBlockedHost } from './blocked-address.ts'

/** The code of the error with which the guard refuses a connection. */
const BLOCKED = 'E_BLOCKED_ADDRESS'

/** Only links such as satellite are slower, and even those reach a second address in time. */
const PER_ADDRESS_MS = 1_500
/** An attempt gives up much earlier; this only ends abandoned connections. */
const CONNECT_TIMEOUT_MS = 60_000

/**
 * Opens connections for undici. On every new connection, `isBlocked` checks the addresses that are actually connected
 * to: literals here, names in the socket's own look-up. So a name that changes its address between check and use gains
 * nothing. A name with one blocked address is refused entirely. If `isBlocked` is null, nothing is refused.
 */
export function guardedConnector(
  resolve: Resolve,
  isBlocked: ((address: string, host: string) => boolean) | null = isBlockedAddress,
): Connectors.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const blocked = isBlocked !== null && addresses.some(({ address }) => isBlocked(address, hostname))
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
  } as Connectors.BuildOptions)
  return (options, callback) => {
    // Literals are never looked up, so they would bypass that check. And no resolver gets to decide what localhost
    // means.
    if (isBlocked !== null && isRefused(options.hostname, isBlocked)) callback(refusal(), null)
    else connect(options, callback)
  }
}

const isRefused = (host: string, isBlocked: (address: string, host: string) => boolean): boolean =>
  isIP(host) === 0 ? isBlockedHost(host) : isBlocked(host, host)

const refusal = () => Object.assign(new Error('blocked address'), { code: BLOCKED })
