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
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    const hops = forwarded.map((hop) => hop.trim()).filter((hop) => isIP(hop) !== 0)
    let address = socket.remoteAddress ?? ''
    while (isProxy(address)) {
      const before = hops.pop()
      if (before === undefined) break
      address = before
    }
    return address
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
