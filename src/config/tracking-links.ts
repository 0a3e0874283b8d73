import type { Config } from '../config.ts'

const LOOPBACK = /^https?:\/\/(127\.|([^/:]+\.)?localhost\.?(?=[:/]|$)|\[::1\])/i

/** Whether only this machine itself can open a link that begins so. */
export const isLocalOnly = (publicUrl: string): boolean => publicUrl === '' || LOOPBACK.test(publicUrl)

const REMEDY = 'docs/operating.md, The link must open'

/**
 * Why contacts cannot open the link in their SMS as things stand, or null. Asked only while messages leave this machine. What a reverse proxy shows is
 * not known here: with `http.trustProxy`, or without a listener of its own for https, it is taken to show a certificate that phones know.
 */
export function trackingLinkConcern({ notifications, publicUrl, tls, https, http }: Config): string | null {
  if (notifications.providers.every((provider) => provider === 'outbox')) return null
  const ownCertificate = tls.cert !== null
  if (publicUrl === null) {
    return ownCertificate
      ? `publicUrl is not set, so the links in SMS lead to a bare address, which the certificate hardly names: set it to where contacts reach this service (${REMEDY})`
      : `publicUrl is not set, so the links in SMS lead to a bare address with the certificate of the local CA, which phones refuse: set it to a name with a certificate that phones know (${REMEDY})`
  }
  if (isLocalOnly(publicUrl)) {
    return `publicUrl ${publicUrl} can be opened on this machine only, so the links in SMS lead contacts nowhere: set it to where they reach this service (${REMEDY})`
  }
  const isBehindProxy = http.trustProxy !== false || https.port === 'off'
  if (ownCertificate || isBehindProxy || !/^https:/i.test(publicUrl)) return null
  return `publicUrl ${publicUrl} is shown with the certificate of the local CA, which phones refuse, so contacts see a warning instead of the page: set tls.cert and tls.key, or put a reverse proxy in front and set http.trustProxy (${REMEDY})`
}
