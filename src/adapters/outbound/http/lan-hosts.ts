import { BlockList, isIP } from 'node:net'

/**
 * The addresses of local networks. Only these can be allowed, so a list cannot open this machine, link-local addresses
 * or anything else that is not a neighbour.
 */
const local = new BlockList()
local.addSubnet('10.0.0.0', 8, 'ipv4')
local.addSubnet('172.16.0.0', 12, 'ipv4')
local.addSubnet('192.168.0.0', 16, 'ipv4')
// Carrier-grade NAT, which overlay networks use.
local.addSubnet('100.64.0.0', 10, 'ipv4')
local.addSubnet('fc00::', 7, 'ipv6')

/** Metadata services of clouds, on such addresses. */
const metadata = new BlockList()
metadata.addAddress('100.100.100.200', 'ipv4')
metadata.addAddress('fd00:ec2::254', 'ipv6')
metadata.addAddress('fd20:ce::254', 'ipv6')

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether a host may be called although its address is not public. */
export type LanHosts = (address: string, host: string) => boolean

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/**
 * `hosts`: addresses, networks and names, as in `notifications.lanHosts`. A name allows what it resolves to, in local
 * networks; an address or a network counts under any name.
 */
export function lanHosts(hosts: readonly string[]): LanHosts {
  const listed = new BlockList()
  const names = new Set<string>()
  for (const entry of hosts) {
    const [address = '', prefix] = entry.split('/')
    if (isIP(address) === 0) names.add(nameOf(entry))
    else if (prefix === undefined) listed.addAddress(address, family(address))
    else listed.addSubnet(address, Number(prefix), family(address))
  }
  return (address, host) => {
    // A zone belongs to link-local addresses; IPv4 in IPv6 would be judged by another list.
    if (isIP(address) === 0 || address.includes('%') || /^::ffff:/i.test(address)) return false
    const kind = family(address)
    if (!local.check(address, kind) || metadata.check(address, kind)) return false
    return names.has(nameOf(host)) || listed.check(address, kind)
  }
}
