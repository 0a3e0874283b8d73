import { isBlockedTarget, systemResolve } from '../adapters/outbound/http/address-guard.ts'
import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { type SiteSettings, writtenIn } from '../config/settings.ts'
import type { Config } from '../config.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'
import type { SiteConfig } from './site-config.ts'

const HOSTS = 'notifications.lanHosts'
const SERVERS = 'lorawan.servers'
const DOWNLINK = '.downlink.url'
const NEEDED = 'has to keep the host of gateway.url: set up another gateway first, or remove it'
const neededBy = (key: string): string => `has to keep the host of ${key}: change that first`
const CLOSED =
  'is in the local network or on this machine: list its host in notifications.lanHosts first; one on this machine is set in the file'

/** Of one change. What is beyond them is judged at each connection alone. */
const MAX_LOOKED_UP = 20

type Address = { readonly key: string; readonly url: string }

/** The addresses of mail server and network servers that the guard judges: those that the console sets. */
const addressesOf = ({ smtp, lorawan: { servers } }: Config, base: Config): readonly Address[] => [
  ...(smtp.url === null || writtenIn(base, 'smtp.url') !== null ? [] : [{ key: 'smtp.url', url: smtp.url.reveal() }]),
  ...(writtenIn(base, SERVERS) !== null
    ? []
    : Object.entries(servers).flatMap(([name, { mqtt, downlink }]) => [
        ...(mqtt === null ? [] : [{ key: `${SERVERS}.${name}.mqtt.url`, url: mqtt.url }]),
        ...(downlink === null ? [] : [{ key: `${SERVERS}.${name}${DOWNLINK}`, url: downlink.url }]),
      ])),
]

/**
 * New addresses that would be refused at each connection. `next`: the configuration to be. An API for messages to
 * trackers is judged at each call alone: without it, an SOS still arrives.
 */
export async function closedAddresses(next: Config, { base, now }: SiteConfig): Promise<readonly FieldProblem[]> {
  const { lanHosts: hosts, allowPrivateTargets } = next.notifications
  if (allowPrivateTargets) return []
  const known = addressesOf(now, base)
  const resolve = systemResolve()
  const lan = lanHosts(hosts)
  const added = addressesOf(next, base).filter(
    ({ key, url }) => !key.endsWith(DOWNLINK) && !known.some((one) => one.key === key && one.url === url),
  )
  const found: FieldProblem[] = []
  // One after the other: a look-up without a network holds one of Node's four threads.
  for (const { key, url } of added.slice(0, MAX_LOOKED_UP)) {
    if (await isBlockedTarget(url, resolve, lan)) found.push({ field: key, message: CLOSED })
  }
  return found
}

/**
 * Why `values` would cut off a gateway, mail server or network server that is set in the console: without its host
 * among those of the local network, nothing reaches it.
 */
export async function withoutGateway(
  values: SiteSettings,
  { base, now }: SiteConfig,
): Promise<readonly FieldProblem[]> {
  const { providers, lanHosts: hosts, allowPrivateTargets } = now.notifications
  if (allowPrivateTargets || !(HOSTS in values)) return []
  const gateway = now.gateway.url?.reveal() ?? null
  const isOurs = gateway !== null && providers.includes('http') && writtenIn(base, 'gateway.url') === null
  const inUse = [...(isOurs ? [{ key: 'gateway.url', url: gateway }] : []), ...addressesOf(now, base)]
  const resolve = systemResolve()
  const next = lanHosts([values[HOSTS] ?? []].flat().map(String))
  const before = lanHosts(hosts)
  const cut = inUse.map(async ({ key, url }) => {
    const isCut = (await isBlockedTarget(url, resolve, next)) && !(await isBlockedTarget(url, resolve, before))
    return isCut ? [key === 'gateway.url' ? NEEDED : neededBy(key)] : []
  })
  return (await Promise.all(cut)).flat().map((message) => ({ field: HOSTS, message }))
}
