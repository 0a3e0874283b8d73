import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'] as const

/**
 * Whether the request comes from this machine. A forwarded request does not, even from a proxy on this machine, unless
 * the proxy is trusted to name the client. Every address on the way has to be local: if all proxies are trusted, the
 * first address is whatever the client claims.
 */
function isLocal({ ip, ips, headers }: FastifyRequest): boolean {
  const forwarded = FORWARDING.some((name) => headers[name] !== undefined)
  if (forwarded && (ips === undefined || ips.length < 2)) return false
  return (ips ?? [ip]).every((address) => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
}

/**
 * Whether a process on this machine makes the request itself: judged by the peer's address alone, and never true with a
 * forwarding header.
 */
export function isLocalRequest({ raw, headers }: FastifyRequest): boolean {
  const address = raw.socket.remoteAddress ?? ''
  const forwarded = FORWARDING.some((name) => headers[name] !== undefined)
  return !forwarded && isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Whether the request may see operator information: from this machine, or with the token, if one is set
 * (protocol.md#health).
 */
export function isOperator(request: FastifyRequest, token: string | null): boolean {
  return isLocal(request) || bearsToken(request, token)
}

/** Whether the request carries `Authorization: Bearer <token>`; always false if no token is set. */
export function bearsToken(request: FastifyRequest, token: string | null): boolean {
  const given = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]
  return token !== null && given !== undefined && timingSafeEqual(digest(given), digest(token))
}
