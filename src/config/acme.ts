import { isIP } from 'node:net'
import { z } from 'zod'
import { onOff, optional, section, text } from './fields.ts'

export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

const DIRECTORY = 'must be an https address'

/** RFC 8555, 6.1: over TLS. Plain only to a CA on this machine itself, as tests have one. */
const directory = z.url({ protocol: /^https?$/, error: DIRECTORY, abort: true }).refine((url) => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname)
}, DIRECTORY)

const MAX_DOMAINS = 20
const DOMAINS = 'must be a list of host names'
/** Labels of RFC 1123, the first one perhaps a star. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const isHostName = (name: string): boolean =>
  name.length <= 253 &&
  name
    .replace(/^\*\./, '')
    .split('.')
    .every((label) => LABEL.test(label))

const domain = text
  .toLowerCase()
  .refine((name) => isHostName(name) && isIP(name) === 0, 'must be a host name, such as sos.example.org')

const domains = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value),
  z.array(domain, DOMAINS).min(1, DOMAINS).max(MAX_DOMAINS, `must not list more than ${MAX_DOMAINS} names`),
)

const NAMES = 'must be a list of host names and addresses'
const name = text.toLowerCase().refine((one) => isIP(one) !== 0 || (isHostName(one) && !one.startsWith('*')), NAMES)

/** Further names of the certificate of the local CA. */
export const tlsNames = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value),
  z.array(name, NAMES).min(1, NAMES).max(MAX_DOMAINS, `must not list more than ${MAX_DOMAINS} names`),
)

const PEM = 'must hold a certificate and its private key, both in PEM format'
const MAX_PEM = 64 * 1024

/** A certificate with its chain, and its private key, in one text. Whether they match shows where they are used. */
export const tlsPem = text
  .max(MAX_PEM, PEM)
  .refine((pem) => /-----BEGIN CERTIFICATE-----/.test(pem) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem), PEM)

export const acmeSection = section({
  enabled: onOff.default(false),
  directory: directory.default(LETS_ENCRYPT),
  email: optional(z.email('must be an e-mail address')),
  domains: optional(domains),
  dnsHook: optional(text.regex(/^\//, 'must be an absolute path')),
})

type Acme = z.output<typeof acmeSection>

/** The parts of the configuration that certificates from a CA depend on. */
export type CertificateSettings = {
  readonly acme: { readonly [K in keyof Acme]: Acme[K] extends string[] | null ? readonly string[] | null : Acme[K] }
  readonly publicUrl: string | null
  readonly tls: { readonly cert: string | null; readonly pem: unknown }
  readonly https: { readonly port: number | 'off' }
  readonly http: { readonly acmePort: number | 'off'; readonly trustProxy: unknown }
}

/** The names of the certificate: `acme.domains`, else the host of `publicUrl`. */
export function acmeDomains({ acme, publicUrl }: Pick<CertificateSettings, 'acme' | 'publicUrl'>): readonly string[] {
  if (acme.domains !== null) return acme.domains
  return publicUrl === null ? [] : [new URL(publicUrl).hostname]
}

type Problem = { readonly key: string; readonly message: string }

/** Why certificates from a CA cannot be switched on with this configuration. */
export function acmeProblems(config: CertificateSettings): readonly Problem[] {
  const { acme, publicUrl, tls, https, http } = config
  if (!acme.enabled) return []
  const names = acmeDomains(config)
  const [address, wildcard] = [names.find((name) => isIP(name.replace(/^\[|\]$/g, '')) !== 0), names.find(isWildcard)]
  const found: readonly (Problem | false)[] = [
    tls.cert !== null && {
      key: 'acme.enabled',
      message: 'must be off with tls.cert: a site has one certificate, your own or that of the CA',
    },
    tls.pem !== null && {
      key: 'acme.enabled',
      message: 'must be off with tls.pem: a site has one certificate, your own or that of the CA',
    },
    http.trustProxy !== false && {
      key: 'acme.enabled',
      message:
        'must be off with http.trustProxy: the proxy in front ends TLS, so it needs the certificate, and clients would never see this one',
    },
    https.port === 'off' && {
      key: 'acme.enabled',
      message: 'must be off with https.port off: whatever ends TLS in front of this service needs the certificate',
    },
    publicUrl !== null &&
      !/^https:/i.test(publicUrl) && {
        key: 'publicUrl',
        message: 'must begin with https:// with acme.enabled, or no link would use the certificate',
      },
    address !== undefined && {
      key: 'acme.domains',
      message: `is required with acme.enabled: publicUrl has the address ${address}, and the certificate is for a name`,
    },
    wildcard !== undefined &&
      acme.dnsHook === null && {
        key: 'acme.dnsHook',
        message: `is required for ${wildcard}: a CA checks such a name through the DNS only`,
      },
    acme.dnsHook === null &&
      http.acmePort === 'off' && {
        key: 'http.acmePort',
        message: 'is required with acme.enabled (80, where the CA asks), or acme.dnsHook',
      },
  ]
  return found.filter((problem) => problem !== false)
}

/** Why a certificate of a CA would have no name. The console may still set one, so it stops no start. */
export const namelessProblem = (config: Pick<CertificateSettings, 'acme' | 'publicUrl'>): Problem | null =>
  config.acme.enabled && acmeDomains(config).length === 0
    ? { key: 'publicUrl', message: 'is required with acme.enabled, or acme.domains' }
    : null

/** A fault in the names of the certificate from the CA, as a sentence, or null. */
export function namesConcern(config: Pick<CertificateSettings, 'acme' | 'publicUrl'>): string | null {
  const { acme, publicUrl } = config
  if (namelessProblem(config) !== null) {
    return 'acme is on, but without publicUrl or acme.domains there is no name for a certificate: set publicUrl, in the console (Site setup) or in the file'
  }
  if (!acme.enabled || acme.domains === null || publicUrl === null) return null
  const { hostname } = new URL(publicUrl)
  const isNamed = acme.domains.includes(hostname) || acme.domains.includes(hostname.replace(/^[^.]+/, '*'))
  return isNamed
    ? null
    : `acme.domains lacks ${hostname}, the host of publicUrl, so links open with a certificate that phones reject: add it`
}

const isWildcard = (name: string): boolean => name.startsWith('*.')
