import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContextOptions } from 'node:tls'

/** A server certificate with its chain, and its key. */
export type Pair = {
  /** PEM: the server's certificate first, then any chain up to its authority. */
  readonly cert: string
  /** PEM. */
  readonly key: string
  /** The first certificate of `cert`. */
  readonly leaf: X509Certificate
}

/** `named`: the names of the two in a refusal, such as `tls.cert (/etc/tocsin/hut.crt)`. */
export type PairText = {
  readonly cert: string
  readonly key: string
  readonly named: { readonly cert: string; readonly key: string }
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** No CBC, no RSA key exchange. The client chooses, because it knows its processor. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/**
 * Options for `tls.createServer`, `https.createServer` and `server.setSecureContext`: this pair, with TLS 1.2 or later.
 */
export const secureContextOptionsOf = ({ cert, key }: Pick<Pair, 'cert' | 'key'>): SecureContextOptions => ({
  cert,
  key,
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  honorCipherOrder: false,
})

/** The pair, checked as a handshake would: readable, matching, and acceptable to OpenSSL. Ignores the dates. */
export function pairOf({ cert, key, named }: PairText): { readonly pair: Pair } | { readonly refused: string } {
  const chain = certificatesIn(cert)
  if (chain === null) return { refused: `${named.cert} contains no certificate in PEM format, or a damaged one` }
  const [leaf] = chain
  const privateKey = keyIn(key)
  if (privateKey === 'encrypted') {
    return { refused: `${named.key} is encrypted with a passphrase; remove it with: openssl pkey -in KEY -out PLAIN` }
  }
  if (privateKey === null) return { refused: `${named.key} contains no private key in PEM format, or a damaged one` }
  if (!leaf.checkPrivateKey(privateKey)) {
    const inChain = chain.some((other) => other.checkPrivateKey(privateKey))
    return {
      refused: inChain
        ? `${named.cert} must begin with the server's own certificate; another one comes before it`
        : `${named.key} does not match the certificate in ${named.cert}`,
    }
  }
  try {
    createSecureContext(secureContextOptionsOf({ cert, key }))
  } catch (error) {
    return { refused: `${named.cert} cannot be used: ${(error as Error).message}` }
  }
  return { pair: { cert, key, leaf } }
}

/** The certificates of a PEM text, in order, or null if there is none or one is unreadable. */
export function certificatesIn(text: string): readonly [X509Certificate, ...X509Certificate[]] | null {
  try {
    const [first, ...rest] = (text.match(PEM_BLOCK) ?? []).map((block) => new X509Certificate(block))
    return first === undefined ? null : [first, ...rest]
  } catch {
    return null
  }
}

/** The private key of a PEM text; null if there is no readable one. */
export function keyIn(text: string): KeyObject | 'encrypted' | null {
  try {
    return createPrivateKey(text)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE' || /ENCRYPTED/.test(text)
      ? 'encrypted'
      : null
  }
}
