import { isIPv4 } from 'node:net'
import type { Machine } from '../adapters/platform/tls/names.ts'
import { isLocalOnly } from '../config/public-address.ts'
import type { Config } from '../config.ts'
import type { Listeners } from './listeners.ts'

/** The certificate as browsers see it. `source`: as in `TlsInfo`. */
export type ShownCertificate = {
  readonly source: string
  readonly fingerprint: string
  readonly names: readonly string[]
}

/** The console as people reach it. Bases end before `/console/`. */
export type ConsoleAddress = {
  readonly base: string
  /** Whether only this machine reaches `base`. */
  readonly isLocal: boolean
  /** SHA-256 of a certificate that browsers warn of; null where they need no comparison, or none is known. */
  readonly fingerprint: string | null
  /** The way over SSH from another machine; null behind a load balancer with a PROXY header. */
  readonly tunnel: { readonly command: string; readonly base: string } | null
}

type Seen = {
  readonly listeners: Pick<Listeners, 'https' | 'http'>
  readonly certificate: ShownCertificate | null
  readonly machine: Machine
}

const EVERY_ADDRESS = /^(0\.0\.0\.0|\[::\])$/
/** Ports below need root on the machine that opens the tunnel. */
const FIRST_FREE_PORT = 1024

/**
 * The address of the console for operators: `publicUrl` if it is https, else the https listener by a name or address
 * that its certificate has, else this machine itself, because browsers drop a sign-in over plain HTTP. Null without a
 * listener.
 */
export function consoleAddress(
  { publicUrl, http: { trustProxy, proxyProtocol } }: Pick<Config, 'publicUrl' | 'http'>,
  { listeners: { https, http }, certificate, machine }: Seen,
): ConsoleAddress | null {
  const isPublic = publicUrl !== null && /^https:/i.test(publicUrl) && !isLocalOnly(publicUrl)
  const isProxied = isPublic && (trustProxy !== false || https === undefined)
  const listener = isProxied ? (http ?? https) : (https ?? http)
  if (listener === undefined)
    return isPublic ? { base: publicUrl, isLocal: false, fingerprint: null, tunnel: null } : null
  const reached = machine.addresses.find(isIPv4)
  const own = https === undefined ? null : at(https, hostOf(https, certificate, reached))
  const isOwn = !isPublic && own !== null && !isLocalOnly(own)
  const base = isPublic ? publicUrl : isOwn ? own : at(listener, 'localhost')
  const host = isOwn && !EVERY_ADDRESS.test(new URL(https!).hostname) ? new URL(own).hostname : reached
  return {
    base,
    isLocal: !isPublic && !isOwn,
    fingerprint: certificate?.source === 'local' && https !== undefined && !isProxied ? certificate.fingerprint : null,
    tunnel: proxyProtocol === null ? tunnelTo(listener, host ?? machine.hostname) : null,
  }
}

/** The host under which others reach the https listener. */
function hostOf(https: string, certificate: ShownCertificate | null, reached: string | undefined): string {
  const { hostname } = new URL(https)
  const isLocal = isLocalOnly(https) && !EVERY_ADDRESS.test(hostname)
  if (isLocal) return hostname
  const named = certificate === null || certificate.source === 'local' ? [] : certificate.names
  const name = named.find((one) => !one.startsWith('*') && !isLocalOnly(`https://${one}`))
  return name ?? (EVERY_ADDRESS.test(hostname) ? (reached ?? 'localhost') : hostname)
}

/** The listener's address under another host, without the usual port. */
function at(listener: string, host: string): string {
  const url = new URL(listener)
  url.hostname = host
  return url.origin
}

function tunnelTo(listener: string, host: string): { readonly command: string; readonly base: string } {
  const { protocol, hostname, port } = new URL(listener)
  const there = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  const here = there < FIRST_FREE_PORT ? there + 8000 : there
  const target = EVERY_ADDRESS.test(hostname) ? '127.0.0.1' : hostname
  return { command: `ssh -L ${here}:${target}:${there} ${host}`, base: `${protocol}//localhost:${here}` }
}

/** The secret stands behind `#`, which browsers send to nobody: no proxy has it in its log. */
export const consoleLink = (base: string, kind: 'invitation' | 'setup', secret: string): string =>
  `${base}/console/#${kind}=${secret}`

/** How to open a link of the console, one sentence a line, for a terminal. The link itself is not repeated. */
export function openingHints(
  { isLocal, fingerprint, tunnel }: ConsoleAddress,
  kind: 'invitation' | 'setup',
  secret: string,
): readonly string[] {
  return [
    ...(fingerprint === null
      ? []
      : [`If the browser warns of the certificate, its SHA-256 fingerprint has to be ${fingerprint}`]),
    ...(tunnel === null
      ? []
      : [
          `${isLocal ? 'Only this machine reaches it. From another one, first run' : 'If your machine does not reach it, first run'}: ${tunnel.command}`,
          `Then open ${consoleLink(tunnel.base, kind, secret)}`,
        ]),
  ]
}
