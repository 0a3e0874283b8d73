import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { suite, type TestContext, test } from 'node:test'
import { acmeAuthority } from '../../../../src/adapters/outbound/acme/acme-client.ts'
import { certificateRequest } from '../../../../src/adapters/platform/tls/request.ts'
import type { CaAccount, CaSession, ChallengeKind } from '../../../../src/ports/certificate-authority.ts'
import { type AcmeCa, Problem, type Step, startAcmeCa } from '../../../harness/acme-ca.ts'

/** Of a call that hangs, and of all others. */
const [BRIEF_MS, PATIENT_MS] = [1_000, 30_000]
const DOMAIN = 'sos.example.org'

/** A client of a CA that finds every answer in place. */
async function clientOf(t: TestContext, timeoutMs = PATIENT_MS) {
  const answers = new Map<string, string>()
  const texts: string[] = []
  const ca = await startAcmeCa(t, { answerOf: (token) => answers.get(token), dnsTexts: () => texts })
  const kept: CaAccount[] = []
  const session = async (account?: Partial<CaAccount>, email: string | null = null): Promise<CaSession> => {
    const authority = acmeAuthority({ directory: ca.directory, email, now: Date.now, timeoutMs })
    const fresh = { directory: ca.directory, key: authority.newKey(), url: null, email: null }
    const keep = async (changed: CaAccount): Promise<void> => void kept.push(changed)
    return authority.session({ ...fresh, ...account }, keep, new AbortController().signal)
  }
  /** Proves every name of a new order. */
  const proved = async (of: CaSession, domains: readonly string[], kind: ChallengeKind = 'http-01') => {
    const order = await of.order(domains)
    for (const url of order.authorizations) {
      const { challenge } = await of.authorization(url, kind)
      answers.set(challenge!.token, challenge!.answer)
      texts.push(challenge!.answer)
      await of.respond(challenge!)
      assert.equal((await of.authorization(url, kind)).status, 'valid')
    }
    return order.url
  }
  return { ca, kept, session, proved }
}

suite('a client of a CA', () => {
  for (const [kind, domains] of [
    ['http-01', [DOMAIN]],
    ['dns-01', [DOMAIN, `*.${DOMAIN}`]],
  ] as const) {
    test(`gets a certificate through ${kind}`, async (t) => {
      const { ca, session, proved } = await clientOf(t)
      const opened = await session()
      const url = await proved(opened, domains, kind)
      assert.equal((await opened.orderAt(url))?.status, 'ready')
      const { key, request } = await certificateRequest(domains)
      assert.equal((await opened.finalize(url, request)).status, 'valid')
      const leaf = new X509Certificate(await opened.certificate(url))
      assert.deepEqual(
        [leaf.subjectAltName, leaf.verify(new X509Certificate(ca.authority.cert).publicKey)],
        [domains.map((name) => `DNS:${name}`).join(', '), true],
      )
      assert.ok(key.startsWith('-----BEGIN PRIVATE KEY-----'))
    })
  }

  test('keeps its account, uses it again and tells a new address', async (t) => {
    const { ca, kept, session } = await clientOf(t)
    await session({}, 'ops@example.org')
    await session(kept[0], 'ops@example.org')
    assert.deepEqual([ca.count('account'), kept.length], [1, 1])
    assert.deepEqual([...ca.accounts.values()][0]!.contact, ['mailto:ops@example.org'])
    await session(kept[0], 'night@example.org')
    assert.deepEqual([...ca.accounts.values()][0]!.contact, ['mailto:night@example.org'])
    assert.equal(kept.at(-1)!.email, 'night@example.org')
    assert.equal(kept.at(-1)!.url, kept[0]!.url)
  })

  test('a key that the CA knows leads to its account', async (t) => {
    const { ca, kept, session } = await clientOf(t)
    await session()
    await session({ ...kept[0]!, url: null })
    assert.deepEqual([ca.accounts.size, kept[1]!.url], [1, kept[0]!.url])
  })

  test('a CA that has forgotten the account gets it again', async (t) => {
    const { ca, kept, session, proved } = await clientOf(t)
    await session()
    ca.accounts.clear()
    await proved(await session(kept[0]), [DOMAIN])
    assert.equal(ca.accounts.size, 1)
    assert.notEqual(kept.at(-1)!.url, kept[0]!.url)
  })

  test('a stale nonce is replaced, and not for ever', async (t) => {
    const { ca, session } = await clientOf(t)
    const opened = await session()
    let stale = 2
    ca.interfere = () => {
      if (stale-- > 0) throw new Problem('badNonce', 'stale')
    }
    assert.equal((await opened.order([DOMAIN])).status, 'pending')
    stale = Number.POSITIVE_INFINITY
    await assert.rejects(opened.order([DOMAIN]), { name: 'CaError', kind: 'refused' })
  })

  test('an order that the CA does not know is none', async (t) => {
    const { ca, session } = await clientOf(t)
    const opened = await session()
    assert.equal(await opened.orderAt(`${ca.url}/order/unknown`), null)
  })
})

/** What a step meets, and how that is told. */
const faults: readonly [string, (ca: AcmeCa, step: Step) => void, RegExp, string, number | null][] = [
  [
    'hangs',
    (ca, step) => meet(ca, step, () => true),
    /^127\.0\.0\.1:\d+ could not be reached: connection timeout$/,
    'unreachable',
    null,
  ],
  [
    'hangs within its answer',
    (ca, step) =>
      meet(ca, step, (response) => {
        response.writeHead(200).write('{')
        return true
      }),
    /could not be reached: connection timeout/,
    'unreachable',
    null,
  ],
  [
    'answers without end',
    (ca, step) =>
      meet(ca, step, (response) => {
        response.end(Buffer.alloc(300_000, 'x'))
        return true
      }),
    /sent an answer that is too long/,
    'unreachable',
    null,
  ],
  [
    'answers with a page of some proxy',
    (ca, step) =>
      meet(ca, step, (response) => {
        response.setHeader('content-type', 'text/html').end('<html>Please sign in</html>')
        return true
      }),
    /gave an answer that is not ACME: check acme.directory/,
    'unreachable',
    null,
  ],
  [
    'is out of order',
    (ca, step) =>
      meet(ca, step, () => Promise.reject(new Problem('serverInternal', 'down', 503, { 'retry-after': '120' }))),
    /refused: down/,
    'unreachable',
    120_000,
  ],
  [
    'wants to be left alone',
    (ca, step) =>
      meet(ca, step, () => Promise.reject(new Problem('rateLimited', 'too many', 429, { 'retry-after': '86400' }))),
    /^the limit of the CA is reached; nothing has to be done \(127\.0\.0\.1:\d+: too many\)$/,
    'rate_limited',
    86_400_000,
  ],
  [
    'is forbidden by CAA',
    (ca, step) => meet(ca, step, () => Promise.reject(new Problem('caa', 'CAA record prevents issuance', 403))),
    /^a CAA record in the DNS forbids this CA to issue/,
    'refused',
    null,
  ],
  [
    'says more than a line',
    (ca, step) => meet(ca, step, () => Promise.reject(new Problem('malformed', `a\n\u001b[31mb${'c'.repeat(1000)}`))),
    /refused: a \[31mbc{290,295}…$/,
    'refused',
    null,
  ],
]

function meet(ca: AcmeCa, step: Step, work: (response: ServerResponse) => unknown): void {
  ca.interfere = (at, response) => (at === step ? work(response) : undefined)
}

suite('a CA that', () => {
  for (const [title, breaks, sentence, kind, retryAfterMs] of faults) {
    test(`${title} is told in a sentence`, async (t) => {
      const { ca, session } = await clientOf(t, title.startsWith('hangs') ? BRIEF_MS : PATIENT_MS)
      const opened = await session()
      breaks(ca, 'order')
      await assert.rejects(opened.order([DOMAIN]), { name: 'CaError', kind, retryAfterMs, message: sentence })
    })
  }

  test('leads elsewhere, or to a token of no use, is not followed', async (t) => {
    const { ca, session } = await clientOf(t)
    const opened = await session()
    const order = { status: 'pending', authorizations: ['file:///etc/passwd'], finalize: ca.url }
    meet(ca, 'order', (response) => {
      response.writeHead(201, { location: `${ca.url}/order/1` }).end(JSON.stringify(order))
      return true
    })
    const { authorizations } = await opened.order([DOMAIN])
    await assert.rejects(opened.authorization(authorizations[0]!, 'http-01'), /an address of no use: file:/)

    const challenges = [{ type: 'http-01', url: ca.url, token: '../../../etc/passwd' }]
    meet(ca, 'authorization', (response) => {
      response.end(JSON.stringify({ identifier: { type: 'dns', value: DOMAIN }, status: 'pending', challenges }))
      return true
    })
    assert.equal((await opened.authorization(`${ca.url}/authorization/1`, 'http-01')).challenge, null)
  })

  test('is not there is told, and a stop ends the call at once', async (t) => {
    const nowhere = acmeAuthority({ directory: 'http://127.0.0.1:9/directory', email: null, now: Date.now })
    const account = { directory: nowhere.directory, key: nowhere.newKey(), url: null, email: null }
    const signal = new AbortController().signal
    await assert.rejects(
      nowhere.session(account, async () => {}, signal),
      /^CaError: 127\.0\.0\.1:9 could not be reached/,
    )

    const { ca } = await clientOf(t)
    // The guard sees each connection, also to an address that the CA has named.
    const guarded = acmeAuthority({ directory: ca.directory, email: null, now: Date.now, isBlocked: () => true })
    await assert.rejects(
      guarded.session(account, async () => {}, signal),
      /^CaError: 127\.0\.0\.1 is not a public address: list it in notifications\.lanHosts/,
    )
    ca.interfere = () => true
    const stop = new AbortController()
    const hanging = acmeAuthority({ directory: ca.directory, email: null, now: Date.now })
    const opening = hanging.session(account, async () => {}, stop.signal)
    setImmediate(() => stop.abort())
    await assert.rejects(opening, { name: 'CaError' })
  })
})
