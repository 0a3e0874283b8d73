import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** The host name and addresses of a machine. */
export type Machine = { readonly hostname: string; readonly addresses: readonly string[] }

const ALWAYS = ['localhost', '127.0.0.1', '::1']
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
export const HOST_NAME: RegExp = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`)
/** fe80::/10: meaningful only together with an interface of the client. */
const LINK_LOCAL = /^fe[89ab]/i

/** This machine's current names. */
export const thisMachine = (): Machine => ({
  hostname: hostname(),
  addresses: Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address),
})

/**
 * Every name and address by which clients may reach the machine: its own, its mDNS name (`hut.local`), the loopback
 * ones, and `more`. Leaves out those that a certificate cannot contain.
 */
export function certificateNames(machine: Machine, more: readonly string[] = []): readonly string[] {
  const full = machine.hostname.toLowerCase().replace(/\.$/, '')
  const [short = ''] = full.split('.', 1)
  const all = [...more.map(bare), full, short, `${short}.local`, ...ALWAYS, ...machine.addresses]
  return [...new Set(all.filter(isNameable).map(canonical))]
}

/** Removes the brackets of `[::1]`, as hosts are written in URLs. */
const bare = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$/, '$1')

const isNameable = (name: string): boolean => (isIP(name) === 0 ? HOST_NAME.test(name) : !LINK_LOCAL.test(name))

/** The canonical form of an IPv6 address. */
const canonical = (name: string): string => (isIP(name) === 6 ? bare(new URL(`http://[${name}]`).hostname) : name)

/** The names that the certificate does not cover. */
export const namesMissing = (certificate: X509Certificate, names: readonly string[]): readonly string[] =>
  names.filter(
    (name) =>
      (isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name)) === undefined,
  )

/** The names and addresses that the certificate covers. */
export const namesOf = ({ subjectAltName = '' }: X509Certificate): readonly string[] =>
  // Node quotes values that could look like the end of an entry. An unterminated quote extends to the end.
  (subjectAltName.match(/(?:[^,"]|"(?:[^"\\]|\\.?)*"?)+/gs) ?? [])
    .map((entry) => entry.trim().replace(/^(?:DNS|IP Address):/, ''))
    .map((name) => (isIP(name) === 6 ? canonical(name) : name))
