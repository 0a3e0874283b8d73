import { createPrivateKey, createPublicKey } from 'node:crypto'
import { newKey } from './issue.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** A new key, in PEM, and a request (PKCS #10 in DER) for a certificate with these host names. */
export async function certificateRequest(
  names: readonly string[],
  key: string = newKey(),
): Promise<{ readonly key: string; readonly request: Uint8Array }> {
  const { x509 } = await import('./x509.ts')
  const privateKey = createPrivateKey(key)
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys: {
      privateKey: privateKey.toCryptoKey(ALGORITHM, true, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(ALGORITHM, true, ['verify']),
    },
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))],
  })
  return { key, request: new Uint8Array(request.rawData) }
}
