import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose'

/** An account's key: signs requests, and answers challenges. */
export type AccountKey = {
  /** The body of a request. `payload`: null for POST-as-GET. `kid`: the account's URL; null while it has none. */
  sign(request: {
    readonly url: string
    readonly nonce: string
    readonly kid: string | null
    readonly payload: object | null
  }): Promise<string>
  /** RFC 8555, 8.1. */
  keyAuthorization(token: string): string
}

/** EC P-256, PKCS #8 in PEM. */
export const newAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

export async function accountKey(pem: string): Promise<AccountKey> {
  const key = createPrivateKey(pem)
  const jwk = publicJwk(key)
  const thumbprint = await calculateJwkThumbprint(jwk)
  return {
    async sign({ url, nonce, kid, payload }) {
      const bytes = payload === null ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(payload))
      const header = { alg: 'ES256', nonce, url, ...(kid === null ? { jwk } : { kid }) }
      return JSON.stringify(await new FlattenedSign(bytes).setProtectedHeader(header).sign(key))
    },
    keyAuthorization: (token) => `${token}.${thumbprint}`,
  }
}

function publicJwk(key: KeyObject): JWK {
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  return { kty, crv, x, y } as JWK
}

/** RFC 8555, 8.4: the text of the TXT record. */
export const dnsText = (keyAuthorization: string): string =>
  createHash('sha256').update(keyAuthorization).digest('base64url')
