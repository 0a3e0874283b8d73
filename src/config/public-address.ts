import type { Config } from '../config.ts'
import { publicUrlConcern, publicUrlFinding } from '../core/account/public-url.ts'
import type { MqttAddress } from '../core/field/set-up.ts'

/** Whether links with this base can be opened on this machine only. */
export const isLocalOnly = (publicUrl: string): boolean => publicUrlFinding(publicUrl) === 'public_url_loopback'

const REMEDY = 'docs/operating.md, The link must open'

/**
 * The concern of nodes that share a store without a public address, or null. A link must not depend on the node that
 * sent it.
 */
export const nodeLinkConcern = ({ publicUrl, store }: Pick<Config, 'publicUrl' | 'store'>): string | null =>
  publicUrl !== null || store.url === null
    ? null
    : 'publicUrl is not set, so each link leads to the node that sent it, and ends with it: set it in the console (Site setup), or in the file of every node'

/**
 * Why contacts cannot open the links in their SMS with this configuration, or null. Concerns only configurations whose
 * messages leave this machine. The certificate of a reverse proxy is unknown here: with `http.trustProxy`, or without
 * our own https listener, it is assumed to be one that phones trust.
 */
export function trackingLinkConcern(config: Config): string | null {
  const { notifications, publicUrl, tls, acme, https, http } = config
  const ofNode = nodeLinkConcern(config)
  if (ofNode !== null) return ofNode
  if (notifications.providers.every((provider) => provider === 'outbox')) return null
  const ownCertificate = tls.cert !== null || tls.pem !== null || acme.enabled
  if (publicUrl === null) {
    return ownCertificate
      ? `publicUrl is not set, so the links in SMS point to a bare IP address, which the certificate is unlikely to cover: set it to an address that contacts can reach (${REMEDY})`
      : `publicUrl is not set, so the links in SMS point to a bare IP address with a certificate of the local CA, which phones reject: set it to a name with a certificate that phones trust (${REMEDY})`
  }
  const unreachable = publicUrlConcern(publicUrl)
  if (unreachable !== null) return unreachable
  const isBehindProxy = http.trustProxy !== false || https.port === 'off'
  if (ownCertificate || isBehindProxy || !/^https:/i.test(publicUrl)) return null
  return `publicUrl ${publicUrl} uses a certificate of the local CA, which phones reject, so contacts see a warning instead of the page: switch acme on, set tls.cert and tls.key, or put a reverse proxy in front and set http.trustProxy (${REMEDY})`
}

/**
 * The address at which trackers reach the MQTT listener, or null if it is unknown. Only over TLS: their token is in the
 * CONNECT. Behind a proxy the port may differ; then only the operator knows it.
 */
export function trackerMqttAddress({ publicUrl, mqtts: { port } }: Config): MqttAddress | null {
  if (publicUrl === null || isLocalOnly(publicUrl) || port === 'off' || port === 0) return null
  return { host: new URL(publicUrl).hostname, port }
}
