import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The network names that `http.trustProxy` accepts besides addresses and networks, as in Fastify. */
const networks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Finds the client's address for requests that bypass Fastify, such as a WebSocket handshake: the address of the
 * connection or, if that is a trusted proxy's, the last one in `X-Forwarded-For` that is not. `trustProxy`: as in
 * `http.trustProxy`.
 */
export function clientAddress(
  trustProxy: boolean | readonly string[],
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string {
  const isProxy = typeof trustProxy === 'boolean' ? () => trustProxy : isAmong(trustProxy)
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? ''
    // A list costs up to a millisecond to read, and anyone can send one: it is read only as far as it counts.
    const hops = isProxy(address) ? lastFirst([headers['x-forwarded-for'] ?? []].flat().join(',')) : []
    for (const hop of hops) {
      if (isIP(hop) === 0) continue
      address = hop
      if (!isProxy(address)) break
    }
    return address
  }
}

/** The items of a list with commas, from its end. */
function* lastFirst(list: string): Iterable<string> {
  for (let end = list.length; end >= 0; ) {
    const comma = list.lastIndexOf(',', end - 1)
    // `lastIndexOf` takes a negative position for the first one.
    const at = end === 0 ? -1 : comma
    yield list.slice(at + 1, end).trim()
    end = at
  }
}

/** Returns a check for whether an address is in this list of addresses, networks and network names. */
export function isAmong(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of trusted.flatMap((name) => networks[name] ?? name)) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  // An IPv4 address in IPv6 notation matches in both families.
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
