import { CHALLENGE_CONNECTIONS } from '../adapters/inbound/acme/challenge-listener.ts'
import type { Broker } from '../adapters/inbound/broker/broker.ts'
import type { Balancers } from '../adapters/inbound/door/balancers.ts'
import { type Address, LISTENING_SOCKETS } from '../adapters/inbound/door/listen-widely.ts'
import { Certificate } from '../adapters/inbound/door/secure.ts'
import { clientAddress, isAmong } from '../adapters/inbound/http/client-address.ts'
import type { HttpServer } from '../adapters/inbound/http/server.ts'
import { createTlsIdentity, publicNames, type TlsIdentity, tlsSourceOf } from '../adapters/platform/tls/identity.ts'
import { certificateNames, thisMachine } from '../adapters/platform/tls/names.ts'
import type { PublicPair } from '../adapters/platform/tls/public-pair.ts'
import { shareAuthority } from '../adapters/platform/tls/shared-authority.ts'
import type { Config, ListenerName } from '../config.ts'
import { listenersOn } from '../config.ts'
import type { Log } from '../ports/log.ts'
import type { SharedKeys } from '../ports/shared-keys.ts'
import type { Basis } from './storage.ts'

/** `acme`: the one for challenges of a CA. */
export type Listeners = Readonly<Partial<Record<ListenerName | 'acme', string>>>

/**
 * Opens every listener that is on, and returns their addresses. Rejects with a sentence if an address is unavailable.
 */
export async function openListeners(
  config: Config,
  { broker, http, tls }: { readonly broker: Broker; readonly http: HttpServer; readonly tls: TlsIdentity | null },
): Promise<Listeners> {
  const addressOf = clientAddress(config.http.trustProxy)
  broker.attachWebSocket(http.server, addressOf)
  const certificate = tls === null ? undefined : new Certificate(tls.secureContextOptions, tls.named)
  tls?.onChange((options, named) => certificate?.replace(options, named))
  const secured = (): Certificate => {
    if (certificate === undefined) throw new TypeError('a listener with TLS has no certificate')
    return certificate
  }
  const open: Readonly<Record<ListenerName, (at: Address) => Promise<string>>> = {
    mqtt: async (at) => (await broker.listen(at)).url,
    mqtts: async (at) => (await broker.listen(at, secured())).url,
    http: (at) => http.listen(at),
    https: (at) => http.listen(at, secured()),
  }
  const listeners: Partial<Record<ListenerName, string>> = {}
  for (const name of listenersOn(config)) {
    const { host, port } = config[name]
    if (port === 'off') continue
    try {
      listeners[name] = await open[name]({ host, port })
    } catch (error) {
      throw new Error(`cannot listen on ${name}.host ${host}, ${name}.port ${port}: ${listenReason(error)}`, {
        cause: error,
      })
    }
  }
  return listeners
}

/** Descriptors for listening, and for all connections of the listener for challenges. */
export const listeningDescriptors = (config: Config): number =>
  listenersOn(config).length * LISTENING_SOCKETS +
  (config.http.acmePort === 'off' ? 0 : LISTENING_SOCKETS + CHALLENGE_CONNECTIONS)

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES:
    'this user has no permission to use the port; ports below 1024 need root or CAP_NET_BIND_SERVICE, which the systemd unit grants (docs/operating.md, Ports)',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'host name not found',
}

/** Why an address is unavailable, for the operator. */
export const listenReason = (error: unknown): string =>
  reasons[String((error as NodeJS.ErrnoException).code)] ?? (error as Error).message

/**
 * The certificate for the TLS listeners, or null where both are off. access.md#certificates: the operator's,
 * else one of a local CA, which all nodes share. `publicPair`: that of a public CA, while it is on.
 */
export async function tlsIdentity(
  config: Config,
  { log, clock, keys, site }: Pick<Basis, 'log' | 'clock' | 'site'> & { readonly keys: SharedKeys | null },
  publicPair: () => Promise<PublicPair | null>,
): Promise<TlsIdentity | null> {
  const on = listenersOn(config)
  if (!on.includes('mqtts') && !on.includes('https')) return null
  const source = tlsSourceOf(config)
  const hostNames = () => publicNames(site.now)
  if (keys !== null && 'dataDir' in source) {
    const names = certificateNames(thisMachine(), hostNames())
    await shareAuthority({ ...source, keys, names, now: clock.now(), log })
  }
  const tls = await createTlsIdentity(source, { log, clock, hostNames, publicPair })
  site.follow(['publicUrl', 'tls.names'], () => tls.reload())
  return tls
}

/** The load balancers of `mqtt.proxyProtocol` or `http.proxyProtocol`; null without any. */
export function balancersOf(proxyProtocol: readonly string[] | null, log: Log): Balancers | null {
  if (proxyProtocol === null) return null
  return {
    includes: isAmong(proxyProtocol),
    refused: (balancer, reason) =>
      log.warn({ balancer, reason }, 'refused a connection of a load balancer', `${balancer} ${reason}`),
  }
}
