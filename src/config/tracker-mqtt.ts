import type { Config } from '../config.ts'
import type { MqttAddress } from '../core/field/set-up.ts'
import { isLocalOnly } from './tracking-links.ts'

/**
 * Where trackers reach the MQTT listener, or null if it is unknown. Only over TLS: their token is in the CONNECT.
 * Behind a proxy the port may be another one; then it is the operator who knows.
 */
export function trackerMqttAddress({ publicUrl, mqtts: { port } }: Config): MqttAddress | null {
  if (publicUrl === null || isLocalOnly(publicUrl) || port === 'off' || port === 0) return null
  return { host: new URL(publicUrl).hostname, port }
}
