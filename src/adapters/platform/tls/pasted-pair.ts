import { isIP } from 'node:net'
import { namesOf } from './names.ts'
import { certificatesIn, keyIn, pairOf } from './pair.ts'
import { MAX_CHAIN, type PublicPair } from './public-pair.ts'
import { stateOf, validityOf } from './validity.ts'

const KEY_BEGIN = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----/
const NONE = 'must hold a certificate and its private key, both in PEM format'

/** The two of one text (`tls.pem`), as it is; null if one of them is missing. */
export function pairIn(text: string): PublicPair | null {
  const chain = certificatesIn(text)
  const key = keyBlockIn(text)
  if (chain === null || key === null) return null
  return { cert: chain.map((one) => one.toString()).join(''), key: `${key}\n`, origin: 'tls.pem' }
}

function keyBlockIn(text: string): string | null {
  const begin = KEY_BEGIN.exec(text)
  if (begin === null) return null
  const last = `-----END ${begin[1]}-----`
  const end = text.indexOf(last, begin.index)
  return end < 0 ? null : text.slice(begin.index, end + last.length)
}

/** The fault of a pasted certificate, as the end of a sentence about `tls.pem`. Null if it is good. */
export function whyNotPasted(text: string, now: number): string | null {
  const pair = pairIn(text)
  const chain = certificatesIn(text)
  if (pair === null || chain === null || chain.length > MAX_CHAIN) return NONE
  const key = keyIn(pair.key)
  if (key === 'encrypted') return 'has a private key with a passphrase: remove it with openssl pkey -in KEY -out PLAIN'
  if (key === null) return NONE
  const [leaf] = chain
  if (!leaf.checkPrivateKey(key)) {
    return chain.some((other) => other.checkPrivateKey(key))
      ? 'must begin with the certificate of the server, before those of its CA'
      : 'has a private key that belongs to another certificate'
  }
  if (chain.some((one, place) => chain[place + 1] !== undefined && !one.checkIssued(chain[place + 1]!))) {
    return 'has a chain out of order: each certificate has to be issued by the one after it'
  }
  const state = stateOf(validityOf(leaf), now)
  if (state !== 'valid') return state === 'expired' ? 'has expired' : 'is not valid yet'
  if (namesOf(leaf).every((name) => isIP(name) !== 0)) {
    return 'names no host: a certificate for addresses alone goes into the file, as tls.cert'
  }
  const read = pairOf({ ...pair, named: { cert: 'tls.pem', key: 'tls.pem' } })
  return 'refused' in read ? 'cannot be used: OpenSSL does not accept it' : null
}
