import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { issueServer, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import { pairOf } from '../../../../src/adapters/platform/tls/pair.ts'
import { NOW, newAuthority, ownPair } from './stand-in.ts'

const named = { cert: 'CERT', key: 'KEY' }
const authority = await newAuthority()
const own = await ownPair(authority)
const encrypted = createPrivateKey(own.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString()
const weak = await weakPair()

suite('a usable pair', () => {
  test('certificate alone, with its chain, and both in one file', () => {
    for (const [cert, key] of [
      [own.cert, own.key],
      [own.cert + authority.cert, own.key],
      [own.cert + own.key, own.cert + own.key],
      [`\uFEFFa comment\r\n${own.cert.replaceAll('\n', '\r\n')}`, own.key],
    ] as const) {
      const read = pairOf({ cert, key, named })
      assert.ok('pair' in read, JSON.stringify(read))
      assert.match(read.pair.leaf.subject, /Tocsin server/)
    }
  })
})

suite('an unusable pair says why', () => {
  const cases = [
    ['nothing', '', own.key, /^CERT contains no certificate in PEM format/],
    [
      'a damaged certificate',
      own.cert.replace(/A/g, 'B'),
      own.key,
      /^CERT contains no certificate in PEM format, or a damaged one$/,
    ],
    ['half a certificate', own.cert.slice(0, 300), own.key, /^CERT contains no certificate/],
    ['a truncated chain', own.cert + authority.cert.slice(0, 300), own.key, /^CERT cannot be used: /],
    ['no key', own.cert, '', /^KEY contains no private key/],
    ['half a key', own.cert, own.key.slice(0, 100), /^KEY contains no private key in PEM format, or a damaged one$/],
    ['certificate and key swapped', own.key, own.cert, /^CERT contains no certificate/],
    ['an encrypted key', own.cert, encrypted, /^KEY is encrypted with a passphrase/],
    ['another key', own.cert, newKey(), /^KEY does not match the certificate in CERT$/],
    ['the chain first', authority.cert + own.cert, own.key, /^CERT must begin with the server's own certificate/],
    ['a key that is too short', weak.cert, weak.key, /^CERT cannot be used: .*key too small/],
  ] as const
  for (const [title, cert, key, sentence] of cases) {
    test(title, () => {
      const read = pairOf({ cert, key, named })
      assert.match('refused' in read ? read.refused : 'taken', sentence)
    })
  }
})

/** RSA with 1024 bits. */
async function weakPair() {
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=weak',
    notBefore: new Date(NOW),
    signingAlgorithm: algorithm,
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, true, ['sign']),
      publicKey: publicKey.toCryptoKey(algorithm, true, ['verify']),
    },
  })
  return { cert: certificate.toString('pem'), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

test('every certificate issued has a new key', async () => {
  const [one, other] = [await issueServer(authority, ['a'], NOW), await issueServer(authority, ['a'], NOW)]
  assert.notEqual(one.key, other.key)
})
