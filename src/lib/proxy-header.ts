import { SocketAddress } from 'node:net'

/**
 * The PROXY protocol, version 2 (haproxy.org/download/3.0/doc/proxy-protocol.txt, section 2.2): what a load balancer
 * writes in front of the bytes of a connection to say whose connection it is.
 *
 *     12 bytes  signature
 *      1 byte   version (2) and command (0 LOCAL, 1 PROXY)
 *      1 byte   family (0 unspecified, 1 IPv4, 2 IPv6, 3 UNIX) and transport (0 unspecified, 1 stream, 2 datagram)
 *      2 bytes  length of what follows: source and destination, then extensions (TLVs), which are skipped
 */
const SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])

/** The length of the fixed part. */
export const PREFIX_BYTES = 16
/** Maximum number of bytes after it: addresses need 36 bytes, a balancer's extensions rarely more than 300. */
const MAX_REST_BYTES = 536

/** The client that the balancer speaks for; null: nobody, the connection is the balancer's own (a health check). */
export type ProxiedClient = { readonly address: string; readonly port: number } | null

/** The contents of the first 16 bytes. */
export type ProxyPrefix = {
  /** The number of bytes that follow. */
  readonly restBytes: number
  /** Reads them. */
  readonly client: (rest: Buffer) => ProxiedClient
}

type Refused = { readonly refused: string }

const nobody = (): ProxiedClient => null

/** Readers of addresses by the byte of family and transport, and the bytes that each needs at least. */
const sources: Readonly<Record<number, { readonly bytes: number; readonly client: (rest: Buffer) => ProxiedClient }>> =
  {
    0: { bytes: 0, client: nobody },
    17: { bytes: 12, client: (rest) => ({ address: rest.subarray(0, 4).join('.'), port: rest.readUInt16BE(8) }) },
    33: { bytes: 36, client: (rest) => ({ address: ipv6Of(rest), port: rest.readUInt16BE(32) }) },
    49: { bytes: 216, client: nobody },
  }

/** Reads the first 16 bytes of a connection, or says why they do not begin a header. */
export function readProxyPrefix(prefix: Buffer): ProxyPrefix | Refused {
  if (prefix.length < PREFIX_BYTES || !prefix.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    return {
      refused: prefix.toString('latin1').startsWith('PROXY ')
        ? 'its PROXY header is of version 1, not 2'
        : 'it does not begin with a PROXY header',
    }
  }
  const [command, family] = prefix.subarray(SIGNATURE.length)
  const restBytes = prefix.readUInt16BE(14)
  if (restBytes > MAX_REST_BYTES)
    return { refused: `its PROXY header is longer than ${PREFIX_BYTES + MAX_REST_BYTES} bytes` }
  // LOCAL: the rest of the header is skipped.
  if (command === 0x20) return { restBytes, client: nobody }
  const source = command === 0x21 ? sources[family!] : undefined
  if (source === undefined || restBytes < source.bytes) return { refused: 'its PROXY header is malformed' }
  return { restBytes, client: source.client }
}

/** The header of a connection that speaks for nobody: the command LOCAL. */
export const LOCAL_HEADER: Buffer = Buffer.concat([SIGNATURE, Buffer.from([0x20, 0, 0, 0])])

/** The first 16 bytes as an IPv6 address, written as Node writes those of sockets. */
function ipv6Of(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, n) => bytes.readUInt16BE(2 * n).toString(16))
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}
