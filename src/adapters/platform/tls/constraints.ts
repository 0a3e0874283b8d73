import type { X509Certificate } from 'node:crypto'
import { BlockList, isIP } from 'node:net'

/** The names that a CA may sign for. A DNS name includes all of its subdomains; networks are `address/prefix`. */
export type Constraints = { readonly dns: readonly string[]; readonly networks: readonly string[] }

/**
 * Names that do not exist on the Internet: RFC 6761, 6762, 8375, ICANN's .internal, and those that home routers use.
 */
const PRIVATE_NAMES = ['localhost', 'local', 'home.arpa', 'internal', 'lan']
/** Addresses that a site may use internally: RFC 1918, 6598, 3927, 4193. */
const PRIVATE_NETWORKS = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
]

/**
 * The constraints of a CA created while the site has `names` (host names and addresses): these, and everything private.
 */
export function constraintsFor(names: readonly string[]): Constraints {
  const beyond = names.filter((name) => !permits({ dns: PRIVATE_NAMES, networks: PRIVATE_NETWORKS }, name))
  return {
    dns: [...PRIVATE_NAMES, ...beyond.filter((name) => isIP(name) === 0)],
    networks: [
      ...PRIVATE_NETWORKS,
      ...beyond.filter((name) => isIP(name) !== 0).map((name) => `${name}/${isIP(name) === 4 ? 32 : 128}`),
    ],
  }
}

/**
 * Whether a CA with these constraints may sign for a host name or address. Null: for any, as before constraints
 * existed.
 */
export function permits(constraints: Constraints | null, name: string): boolean {
  if (constraints === null) return true
  if (isIP(name) === 0) return constraints.dns.some((allowed) => name === allowed || name.endsWith(`.${allowed}`))
  const list = new BlockList()
  for (const network of constraints.networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list.check(name, isIP(name) === 4 ? 'ipv4' : 'ipv6')
}

// RFC 5280, 4.2.1.10, in DER: @peculiar/x509 can neither write nor read this extension itself.
export const NAME_CONSTRAINTS = '2.5.29.30'
const NAME_CONSTRAINTS_OID = Buffer.from('0603551d1e', 'hex')
const tag = { octets: 0x04, sequence: 0x30, permitted: 0xa0, boolean: 0x01, dns: 0x82, ip: 0x87 } as const

/** The value of the extension. */
export function encodeConstraints({ dns, networks }: Constraints): Buffer {
  const subtrees = [
    ...dns.map((name) => der(tag.dns, Buffer.from(name, 'latin1'))),
    ...networks.map((network) => der(tag.ip, addressAndMask(network))),
  ]
  return der(tag.sequence, der(tag.permitted, Buffer.concat(subtrees.map((base) => der(tag.sequence, base)))))
}

/** The constraints in one of our certificates, or null if it has none. */
export function constraintsOf({ raw }: X509Certificate): Constraints | null {
  const at = raw.indexOf(NAME_CONSTRAINTS_OID)
  if (at < 0) return null
  let value = read(raw.subarray(at + NAME_CONSTRAINTS_OID.length))
  if (value.tag === tag.boolean) value = read(value.rest)
  const permitted = read(read(value.content).content)
  const dns: string[] = []
  const networks: string[] = []
  for (let rest = permitted.content; rest.length > 0; ) {
    const subtree = read(rest)
    const base = read(subtree.content)
    if (base.tag === tag.dns) dns.push(base.content.toString('latin1'))
    if (base.tag === tag.ip) networks.push(networkIn(base.content))
    rest = subtree.rest
  }
  return { dns, networks }
}

function der(type: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...size]), content])
}

function read(bytes: Buffer): { readonly tag: number; readonly content: Buffer; readonly rest: Buffer } {
  const [type = 0, first = 0] = bytes
  const more = first < 0x80 ? 0 : first & 0x7f
  const length = more === 0 ? first : bytes.readUIntBE(2, more)
  const begin = 2 + more
  return { tag: type, content: bytes.subarray(begin, begin + length), rest: bytes.subarray(begin + length) }
}

/** RFC 5280: the address, then a mask of the same length. */
function addressAndMask(network: string): Buffer {
  const [address = '', prefix] = network.split('/')
  const bytes = bytesOf(address)
  const mask = bytes.map((_, at) => 0xff & (0xff00 >> Math.min(8, Math.max(0, Number(prefix) - 8 * at))))
  return Buffer.from([...bytes.map((byte, at) => byte & mask[at]!), ...mask])
}

function networkIn(content: Buffer): string {
  const half = content.length / 2
  const address = [...content.subarray(0, half)]
  const prefix = [...content.subarray(half)].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)
  if (half === 4) return `${address.join('.')}/${prefix}`
  const groups = Array.from({ length: 8 }, (_, at) => content.readUInt16BE(2 * at).toString(16))
  return `${new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)}/${prefix}`
}

function bytesOf(address: string): readonly number[] {
  if (isIP(address) === 4) return address.split('.').map(Number)
  // The URL parser writes every address in one canonical form, without dots.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string): readonly string[] => part.split(':').filter((group) => group !== '')
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
