import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { issueServer, newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import { issuedPair, type PublicPair } from '../../../../src/adapters/platform/tls/public-pair.ts'
import { DAY, SECOND } from '../../../../src/lib/durations.ts'
import { until } from '../../../harness/wait.ts'
import { fingerprintOf, identityOf, NOW, newAuthority, newDirectory } from './stand-in.ts'

const authority = await newAuthority()
const NAMES = ['sos.example.org', '*.huts.example.org']
const [first, second] = await Promise.all([0, 1].map(() => issueServer(authority, NAMES, NOW)))

suite('a certificate from a public CA', () => {
  test('is for clients that ask for its names, beside that of the local CA', async (t) => {
    let stored: PublicPair | null = null
    const dataDir = await newDirectory(t)
    const { identity, clock, lines } = await identityOf(t, { dataDir }, { publicPair: async () => stored })
    assert.deepEqual([identity.named, identity.info().source], [null, 'local'])
    const local = identity.secureContextOptions
    const told: (string | undefined)[] = []
    identity.onChange((_, named) => told.push(String(named?.options.cert)))

    for (const pair of [first!, second!]) {
      stored = pair
      clock.passes(30 * SECOND)
      await until('it is in use', () => identity.info().fingerprint === fingerprintOf(pair.cert))
      assert.deepEqual(identity.named?.names, NAMES)
      assert.equal(identity.named?.options.cert, pair.cert)
      assert.deepEqual(identity.secureContextOptions, local)
    }
    assert.deepEqual(told, [first!.cert, second!.cert])
    const { source, ca, names } = identity.info()
    assert.deepEqual([source, names, ca === null], ['acme', NAMES, false])
    assert.equal(lines.filter(({ message }) => message === 'certificate reloaded').length, 2)
  })

  test('stays in use while the store does not answer', async (t) => {
    let isDown = false
    const publicPair = () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(first!))
    const { identity } = await identityOf(t, { dataDir: await newDirectory(t) }, { publicPair })
    isDown = true
    await identity.reload()
    assert.equal(identity.info().source, 'acme')
  })

  test('that is of no use is a concern, and the local CA serves', async (t) => {
    const publicPair = async () => ({ cert: first!.cert, key: newKey() })
    const { identity } = await identityOf(t, { dataDir: await newDirectory(t) }, { publicPair })
    assert.deepEqual([identity.named, identity.info().source], [null, 'local'])
    assert.match(identity.info().concerns.join(), /its key does not match the certificate in the certificate of the CA/)
  })

  test('makes up for the name that the local CA may not sign for', async (t) => {
    const dataDir = await newDirectory(t)
    await identityOf(t, { dataDir })
    let stored: PublicPair | null = null
    const named = { hostNames: () => ['sos.example.org'], publicPair: async () => stored }
    const { identity } = await identityOf(t, { dataDir }, named)
    assert.match(identity.info().concerns.join(), /^the local CA may not sign for sos\.example\.org/)
    stored = first!
    await identity.reload()
    assert.deepEqual([identity.info().source, identity.info().concerns], ['acme', []])
    stored = { ...first!, origin: 'tls.pem' }
    await identity.reload()
    assert.deepEqual([identity.info().source, identity.info().file], ['operator', 'tls.pem'])
  })

  test('serves alone where the local CA is damaged: that must not stop a start', async (t) => {
    const dataDir = await newDirectory(t)
    await identityOf(t, { dataDir })
    await writeFile(join(dataDir, 'tls', 'ca.key'), newKey())
    const { identity } = await identityOf(t, { dataDir }, { publicPair: async () => first! })
    assert.equal(identity.secureContextOptions.cert, first!.cert)
    assert.match(identity.info().concerns.join(), /does not match/)
  })

  test('that has expired stays in use, with a concern', async (t) => {
    const dataDir = await newDirectory(t)
    const { identity, clock } = await identityOf(t, { dataDir }, { publicPair: async () => first! })
    clock.passes(400 * DAY)
    await identity.reload()
    assert.deepEqual([identity.info().source, identity.info().state], ['acme', 'expired'])
    assert.match(identity.info().concerns.join(), /certificate_records expired on .*say why it was not renewed/)
  })
})

suite('what a CA has issued', () => {
  test('is taken as the chain alone, with its dates', () => {
    const taken = issuedPair(`rubbish\n${first!.cert}more\n${authority.cert}`, first!.key, NAMES, NOW)
    assert.ok('cert' in taken)
    assert.equal(taken.cert, first!.cert.trimEnd().concat('\n', authority.cert))
    assert.ok(taken.from < NOW && taken.to > NOW + 300 * DAY)
  })

  for (const [title, cert, key, names, now, refused] of [
    ['rubbish', 'rubbish', first!.key, NAMES, NOW, /no chain of certificates/],
    ['for another key', first!.cert, second!.key, NAMES, NOW, /does not match/],
    [
      'for other names',
      first!.cert,
      first!.key,
      ['sos.example.org', 'x.example.org'],
      NOW,
      /does not cover x\.example\.org$/,
    ],
    ['for another wildcard', first!.cert, first!.key, ['*.example.org'], NOW, /does not cover \*\.example\.org$/],
    ['expired', first!.cert, first!.key, NAMES, NOW + 400 * DAY, /has expired/],
    ['endless', first!.cert + authority.cert.repeat(20), first!.key, NAMES, NOW, /more than 10 certificates/],
  ] as const) {
    test(`is refused: ${title}`, () => {
      const found = issuedPair(cert, key, names, now)
      assert.ok('refused' in found)
      assert.match(found.refused, refused)
    })
  }
})
