import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { suite, test } from 'node:test'
import { issueAuthority, issueServer, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import { pairIn, whyNotPasted } from '../../../../src/adapters/platform/tls/pasted-pair.ts'
import { DAY } from '../../../../src/lib/durations.ts'

const now = Date.UTC(2026, 5, 1)
const key = newKey()
const authority = { key, cert: await issueAuthority(key, now) }
const other = { key, cert: await issueAuthority(newKey(), now) }
const own = await issueServer(authority, ['sos.example.org', '10.0.0.7'], now)
const encrypted = createPrivateKey(own.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString()
const sec1 = createPrivateKey(own.key).export({ type: 'sec1', format: 'pem' }).toString()

suite('a certificate that somebody pastes', () => {
  for (const [title, text] of [
    ['with its key', own.cert + own.key],
    ['after its key, with the chain', own.key + own.cert + authority.cert],
    [
      'with texts around them, and line ends of Windows',
      `Subject: x\n${own.cert}\n# key\n${own.key}`.replaceAll('\n', '\r\n'),
    ],
    [
      'with a key as OpenSSL 1 writes it',
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${sec1}${own.cert}`,
    ],
  ] as const) {
    test(`${title} is good`, () => {
      assert.equal(whyNotPasted(text, now), null)
      const pair = pairIn(text)!
      assert.ok(!pair.cert.includes('PRIVATE') && !pair.key.includes('CERTIFICATE'))
    })
  }

  const foreign = newKey()
  for (const [text, why] of [
    ['', /must hold a certificate and its private key/],
    [own.cert, /must hold a certificate and its private key/],
    [own.key, /must hold a certificate and its private key/],
    [own.cert + own.key.replace('-----END', '-----ENDE'), /must hold/],
    [own.cert + own.key.replaceAll('M', 'N'), /must hold|belongs to another/],
    [own.cert + encrypted, /passphrase: remove it with openssl pkey/],
    [own.cert + foreign, /belongs to another certificate/],
    [authority.cert + own.cert + own.key, /must begin with the certificate of the server/],
    [own.cert + other.cert + authority.cert + own.key, /chain out of order/],
    ['-----BEGIN PRIVATE KEY-----'.repeat(2000) + own.cert, /must hold/],
  ] as const) {
    test(`is refused: ${why.source} (${text.length})`, () => assert.match(whyNotPasted(text, now)!, why))
  }

  test('has to be valid, and for a name', async () => {
    assert.equal(whyNotPasted(own.cert + own.key, now + 400 * DAY), 'has expired')
    assert.equal(whyNotPasted(own.cert + own.key, now - 400 * DAY), 'is not valid yet')
    const { cert, key: of } = await issueServer(authority, ['10.0.0.7'], now)
    assert.match(whyNotPasted(cert + of, now)!, /^names no host/)
  })
})
