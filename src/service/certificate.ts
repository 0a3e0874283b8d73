import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { type Config, listenersOn } from '../config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

/**
 * The certificate for the TLS listeners, or null where both are off. rules.md#certificates: the operator's,
 * else one of a local CA.
 */
export async function tlsIdentity(
  config: Config,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): Promise<TlsIdentity | null> {
  const on = listenersOn(config)
  if (!on.includes('mqtts') && !on.includes('https')) return null
  const { createTlsIdentity, publicNames, tlsSourceOf } = await import('../adapters/platform/tls/identity.ts')
  return createTlsIdentity(tlsSourceOf(config), { log, clock, hostNames: publicNames(config) })
}
