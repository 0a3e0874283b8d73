import { isIPv6 } from 'node:net'

const GROUPS = 8
/** Leading groups that all addresses of a customer's network share (/64). */
const GROUPS_OF_A_NETWORK = 4

/**
 * The customer behind an address, as far as the address shows it: an IPv4 address stands for itself, even if written as
 * IPv6. An IPv6 customer has at least a /64 network, so all addresses in it count as one. Anything else, as a proxy may
 * forward it, stands for itself.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%')
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1]
  if (ipv4 !== undefined || !isIPv6(bare)) return ipv4 ?? bare
  const [front = [], back = []] = bare.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const between = Math.max(0, GROUPS - front.length - back.length)
  return [...front, ...Array<string>(between).fill('0'), ...back]
    .slice(0, GROUPS_OF_A_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * The network around an address, for what one person must not use up with many addresses: the /24 of an IPv4 address,
 * the /48 of an IPv6 one. Anything else stands for itself.
 */
export function wideNetworkOf(address: string): string {
  const network = networkOf(address)
  const parts = network.split(network.includes(':') ? ':' : '.')
  return parts.length === GROUPS_OF_A_NETWORK ? parts.slice(0, -1).join(network.includes(':') ? ':' : '.') : network
}
