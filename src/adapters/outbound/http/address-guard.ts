import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isBlockedAddress, isBlockedHost } from './blocked-address.ts'
import type { LanHosts } from './lan-hosts.ts'

/** Resolves a host name to all of its addresses. Rejects like `dns.lookup`. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

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
 * Whether a target would be refused now, to warn the operator who configures it. A name that cannot be resolved now is
 * not blocked; the guard checks again at every call.
 */
export async function isBlockedTarget(
  url: string,
  resolve: Resolve = systemResolve(),
  lan: LanHosts = () => false,
): Promise<boolean> {
  // The URL parser normalises decimal, octal and hexadecimal hosts to plain addresses.
  const { hostname } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isBlockedHost(hostname)) return !lan(host, host)
  if (isIP(host) !== 0) return false
  try {
    const addresses = await resolve(host)
    return addresses.some(({ address }) => isBlockedAddress(address) && !lan(address, host))
  } catch {
    return false
  }
}
