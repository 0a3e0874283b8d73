import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { type Constraints, encodeConstraints, NAME_CONSTRAINTS } from './constraints.ts'
import { authorityValidity, serverValidity, type Validity } from './validity.ts'

const CURVE = 'P-256'
const ALGORITHM = { name: 'ECDSA', namedCurve: CURVE, hash: 'SHA-256' } as const
const SERIAL_BYTES = 16

/** PEM texts. */
export type Issuer = { readonly cert: string; readonly key: string }

/** A new EC P-256 key, as PKCS #8 in PEM. */
export const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: CURVE }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/**
 * The self-signed certificate of a local CA, in PEM. If reissued from the same key, it has the same name and key
 * identifier, so that earlier signatures stay trusted. `constraints`: the names that it may sign for.
 */
export async function issueAuthority(
  key: string,
  now: number,
  constraints: Constraints | null = null,
): Promise<string> {
  const { x509 } = await library()
  const keys = cryptoKeys(key)
  const keyId = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...common(authorityValidity(now)),
    // Two boxes must not have CAs of the same name: clients would check a signature with the wrong key.
    name: [{ O: ['Tocsin'] }, { CN: [`Tocsin local CA ${keyId.keyId.slice(0, 8)}`] }],
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      keyId,
      // Not critical: small devices without support for it (mbedTLS) would refuse the whole CA, and others enforce it
      // anyway.
      ...(constraints === null ? [] : [new x509.Extension(NAME_CONSTRAINTS, false, encodeConstraints(constraints))]),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/**
 * A new key, and a server certificate for `names` (host names and IP addresses, at least one) signed by the local CA.
 * PEM.
 */
export async function issueServer(authority: Issuer, names: readonly string[], now: number): Promise<Issuer> {
  const { x509 } = await library()
  const key = newKey()
  const { publicKey } = cryptoKeys(key)
  const issuer = new x509.X509Certificate(authority.cert)
  const certificate = await x509.X509CertificateGenerator.create({
    ...common(serverValidity(now)),
    subject: [{ O: ['Tocsin'] }, { CN: ['Tocsin server'] }],
    issuer: issuer.subjectName,
    publicKey,
    signingKey: cryptoKeys(authority.key).privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      // Strict clients (RFC 5280), such as Python from 3.13 on, refuse certificates without it.
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key }
}

/** Loaded only to issue a certificate, about once a year: it takes 150 ms and 20 MB. */
const library = () => import('./x509.ts')

const common = ({ from, to }: Validity) => ({
  // Positive, with no leading zeros.
  serialNumber: `4${randomBytes(SERIAL_BYTES).toString('hex').slice(1)}`,
  notBefore: new Date(from),
  notAfter: new Date(to),
  signingAlgorithm: ALGORITHM,
})

const cryptoKeys = (pem: string) => ({
  privateKey: createPrivateKey(pem).toCryptoKey(ALGORITHM, true, ['sign']),
  publicKey: createPublicKey(pem).toCryptoKey(ALGORITHM, true, ['verify']),
})
