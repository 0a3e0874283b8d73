import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** What a machine is called and which addresses it has. */
export type Machine = { readonly hostname: string; readonly addresses: readonly string[] }

const ALWAYS = ['localhost', '127.0.0.1', '::1']
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?'
export const HOST_NAME: RegExp = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`)
/** fe80::/10: they mean something only together with an interface of the client's. */
const LINK_LOCAL = /^fe[89ab]/i

/** This machine as it is now. */
export const thisMachine = (): Machine => ({
  hostname: hostname(),
  addresses: Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address),
})

/**
 * Every name and address under which clients may reach the machine: its own, the name's mDNS form (`hut.local`), the
 * loopback ones, and `more`. What cannot stand in a certificate is left out.
 */
export function certificateNames(machine: Machine, more: readonly string[] = []): readonly string[] {
  const full = machine.hostname.toLowerCase().replace(/\.$/, '')
  const [short = ''] = full.split('.', 1)
  const all = [...more.map(bare), full, short, `${short}.local`, ...ALWAYS, ...machine.addresses]
  return [...new Set(all.filter(isNameable).map(canonical))]
}

/** `[::1]`, as hosts are written in URLs, without its brackets. */
const bare = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$/, '$1')

const isNameable = (name: string): boolean => (isIP(name) === 0 ? HOST_NAME.test(name) : !LINK_LOCAL.test(name))

/** One way to write an IPv6 address. */
const canonical = (name: string): string => (isIP(name) === 6 ? bare(new URL(`http://[${name}]`).hostname) : name)

/** The names that the certificate does not cover. */
export const namesMissing = (certificate: X509Certificate, names: readonly string[]): readonly string[] =>
  names.filter(
    (name) =>
      (isIP(name) === 0 ? certificate.checkHost(name, { subject: 'never' }) : certificate.checkIP(name)) === undefined,
  )

/** The names and addresses that the certificate is for. */
export const namesOf = ({ subjectAltName = '' }: X509Certificate): readonly string[] =>
  // Node quotes values that could be taken for the end of an entry. A quote without an end has everything behind it.
  (subjectAltName.match(/(?:[^,"]|"(?:[^"\\]|\\.?)*"?)+/gs) ?? [])
    .map((entry) => entry.trim().replace(/^(?:DNS|IP Address):/, ''))
    .map((name) => (isIP(name) === 6 ? canonical(name) : name))
