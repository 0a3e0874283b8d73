import type { buildConnector as Connectors } from 'undici'
import { buildConnector } from 'undici'
import type { Resolve } from './address-guard.ts'
import { isBlockedAddress } from './blocked-address.ts'
import { addressGuard, blockedError, bothFamilies } from './guarded-socket.ts'

/** An attempt gives up much earlier; this only ends abandoned connections. */
const CONNECT_TIMEOUT_MS = 60_000

/**
 * Opens connections for undici. On every new connection, `isBlocked` checks the addresses that are actually connected
 * to: literals here, names in the socket's own look-up. So a name that changes its address between check and use gains
 * nothing. If `isBlocked` is null, nothing is refused.
 */
export function guardedConnector(
  resolve: Resolve,
  isBlocked: ((address: string, host: string) => boolean) | null = isBlockedAddress,
): Connectors.connector {
  const { lookup, refuses } = addressGuard(resolve, isBlocked)
  const connect = buildConnector({
    lookup,
    // A single protocol with known failures: integrations get single small requests.
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    ...bothFamilies,
  } as Connectors.BuildOptions)
  return (options, callback) => {
    if (refuses(options.hostname)) callback(blockedError(), null)
    else connect(options, callback)
  }
}
