import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/** IANA IPv4 Special-Purpose Address Registry, and multicast: no public service has these addresses. */
const blockedIpv4 = [
  ['0.0.0.0', 8, 'this network, unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier-grade NAT; 100.100.100.200 is a cloud metadata service'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local; 169.254.169.254 is a cloud metadata service'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, '6to4 relay'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmarking'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, broadcast'],
  ['168.63.129.16', 32, 'host services of a cloud, on a public address'],
] as const

/** Parts of 2000::/3 that are not ordinary public addresses. */
const blockedIpv6 = [
  ['2001::', 23, 'protocol assignments, Teredo: holds an IPv4 address'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4: holds an IPv4 address'],
  ['3fff::', 20, 'documentation'],
] as const

const ipv4List = new BlockList()
for (const [network, prefix] of blockedIpv4) ipv4List.addSubnet(network, prefix, 'ipv4')

const ipv6List = new BlockList()
for (const [network, prefix] of blockedIpv6) ipv6List.addSubnet(network, prefix, 'ipv6')

/** The only block of global unicast addresses. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/**
 * RFC 6052: the prefix through which an IPv6-only network reaches IPv4 hosts. The last 32 bits are the IPv4 address.
 */
const nat64 = new BlockList()
nat64.addSubnet('64:ff9b::', 96, 'ipv6')

/**
 * Whether an integration must not make us call this IP address (text, without brackets; a zone is ignored): private,
 * loopback, link-local, metadata and everything else that is not public. Of IPv6, only global unicast passes, so
 * mapped, unique-local, multicast and local NAT64 addresses need no list. The NAT64 prefix is judged by the IPv4
 * address in it, because on such networks every public IPv4 service looks like that. Anything that is not an address is
 * blocked (access.md#address-guard).
 */
export function isBlockedAddress(address: string): boolean {
  if (isIPv4(address)) return ipv4List.check(address, 'ipv4')
  const [ipv6 = ''] = address.split('%')
  if (!isIPv6(ipv6)) return true
  if (nat64.check(ipv6, 'ipv6')) return isBlockedAddress(lastIpv4Of(ipv6))
  return !globalUnicast.check(ipv6, 'ipv6') || ipv6List.check(ipv6, 'ipv6')
}

/** The IPv4 address in the last 32 bits. */
function lastIpv4Of(ipv6: string): string {
  // The URL parser writes every address in one canonical form, without dots.
  const canonical = new URL(`http://[${ipv6}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const groups = (tail ?? head).split(':').filter((group) => group !== '')
  const [high = 0, low = 0] = ['0', '0', ...groups].slice(-2).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** RFC 6761: names of this machine, whatever a resolver says. The last two are in Debian's hosts file. */
const LOCAL_NAME = /^((.+\.)?localhost|(.+\.)?localhost\.localdomain|ip6-(localhost|loopback))$/

/**
 * Whether a host as written in a URL (name or address, brackets and a trailing dot allowed) is blocked as it stands,
 * before any look-up.
 */
export function isBlockedHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
  return isIP(name) === 0 ? LOCAL_NAME.test(name) : isBlockedAddress(name)
}
