import { createTlsIdentity, publicNames, type TlsIdentity, tlsSourceOf } from '../adapters/platform/tls/identity.ts'
import { certificateNames, thisMachine } from '../adapters/platform/tls/names.ts'
import { shareAuthority } from '../adapters/platform/tls/shared-authority.ts'
import { type Config, listenersOn } from '../config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { SharedKeys } from '../ports/shared-keys.ts'

/**
 * The certificate for the TLS listeners, or null where both are off. rules.md#certificates: the operator's,
 * else one of a local CA, which all nodes share.
 */
export async function tlsIdentity(
  config: Config,
  { log, clock, keys }: { readonly log: Log; readonly clock: Clock; readonly keys: SharedKeys | null },
): Promise<TlsIdentity | null> {
  const on = listenersOn(config)
  if (!on.includes('mqtts') && !on.includes('https')) return null
  const source = tlsSourceOf(config)
  const hostNames = publicNames(config)
  if (keys !== null && 'dataDir' in source) {
    const names = certificateNames(thisMachine(), hostNames)
    await shareAuthority({ ...source, keys, names, now: clock.now(), log })
  }
  return createTlsIdentity(source, { log, clock, hostNames })
}
