import { type Canary, createCanary } from '../app/watch/canary.ts'
import type { Config } from '../config.ts'
import { MINUTE } from '../lib/durations.ts'
import type { Addresses } from './addresses.ts'
import { canaryPress } from './canary-press.ts'
import type { Basis } from './storage.ts'

/** The canary, not yet started. Null where it is off, or where there is no MQTT listener to press at. */
export function prepareCanary(
  config: Config,
  basis: Basis,
  { addresses }: { readonly addresses: Addresses },
): Canary | null {
  const { everyMinutes } = config.canary
  if (everyMinutes === 0) return null
  if (config.mqtt.port === 'off' && config.mqtts.port === 'off') {
    basis.log.info({}, 'the canary is off: it presses over MQTT or MQTT over TLS, and both listeners are off')
    return null
  }
  return createCanary({
    ...basis,
    everyMs: everyMinutes * MINUTE,
    press: canaryPress(addresses.listeners, config.mqtt.proxyProtocol),
    hasOthers: () => (basis.lease?.node?.others.length ?? 0) > 0,
  })
}
