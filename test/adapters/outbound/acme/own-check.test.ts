import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ownCheck } from '../../../../src/adapters/outbound/acme/own-check.ts'

const DOMAIN = 'sos.example.org'
const { signal } = new AbortController()

const silent: RequestListener = () => {}

/** What answers at the domain, asked by a machine with these addresses. */
async function looked(
  t: TestContext,
  handler: RequestListener | null,
  {
    own = [] as readonly string[],
    addresses = ['127.0.0.1'] as readonly string[],
    isDirect = true,
    timeoutMs = handler === silent ? 300 : 30_000,
  } = {},
) {
  const server = createServer(handler ?? undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  if (handler === null) server.close()
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const check = ownCheck({ ownAddresses: () => own, isDirect, port, resolve: async () => addresses, timeoutMs })
  const found = await check(DOMAIN, 'token', 'answer', signal)
  return found && { ...found, problem: found.problem.replace(`, port ${port}`, '') }
}

const answers: RequestListener = ({ url, headers }, response) =>
  void response.end(url === '/.well-known/acme-challenge/token' && headers.host === DOMAIN ? 'answer' : 'other')

test('a site that is at its domain finds itself', async (t) => {
  assert.equal(await looked(t, answers), null)
})

for (const [title, handler, sentence] of [
  [
    'another answer',
    (_, response) => void response.end('answer, or not'),
    /^http:\/\/sos\.example\.org \(127\.0\.0\.1\) gives another answer than this site: if that is not this machine, correct the A and AAAA records/,
  ],
  [
    'an answer without end',
    (_, response) => void response.write('x'.repeat(100_000)),
    /gives another answer than this site:/,
  ],
  [
    'another status',
    (_, response) => void response.writeHead(404).end(),
    /gives another answer than this site \(HTTP 404\):/,
  ],
  [
    'a redirect',
    (_, response) => void response.writeHead(301, { location: 'https://x/' }).end(),
    /\(HTTP 301, which leads elsewhere\):/,
  ],
  ['silence', silent, /does not answer: connection timeout:/],
  ['nobody', null, /does not answer: connection refused:/],
] as const satisfies readonly (readonly [string, RequestListener | null, RegExp])[]) {
  test(`${title} at the domain is told, and is certain only at an address of this machine`, async (t) => {
    const elsewhere = await looked(t, handler)
    assert.match(elsewhere!.problem, sentence)
    assert.equal(elsewhere!.isCertain, false)
    const here = await looked(t, handler, { own: ['127.0.0.1'] })
    assert.match(here!.problem, /: set http\.acmePort to 80, or lead port 80 of this machine to it/)
    assert.equal(here!.isCertain, true)
  })
}

test('each address of the domain has to lead here', async (t) => {
  const found = await looked(t, answers, { addresses: ['127.0.0.1', '127.0.0.2'], own: ['127.0.0.2'] })
  assert.match(found!.problem, /127\.0\.0\.2\) does not answer: connection refused/)
  // The CA may try the other one.
  assert.equal(found!.isCertain, false)
})

test('a domain that the DNS does not know is certain', async () => {
  const missing = Object.assign(new Error('no'), { code: 'ENOTFOUND' })
  const check = ownCheck({ ownAddresses: () => [], isDirect: true, resolve: () => Promise.reject(missing) })
  assert.deepEqual(await check(DOMAIN, 'token', 'answer', signal), {
    problem: 'sos.example.org: name not found: add a record to the DNS that leads to this machine',
    isCertain: true,
  })
})

test('an own address is not certain while another port is led to this site: that may hold for packets from outside only', async (t) => {
  const found = await looked(t, null, { own: ['127.0.0.1'], isDirect: false })
  assert.match(found!.problem, /connection refused: set http\.acmePort to 80, or lead port 80 of this machine to it/)
  assert.equal(found!.isCertain, false)
})

test('a DNS that does not answer is told, and a stop does not wait for it', { timeout: 5000 }, async () => {
  const silent = ownCheck({
    ownAddresses: () => [],
    isDirect: true,
    resolve: () => new Promise(() => {}),
    timeoutMs: 50,
  })
  assert.deepEqual(await silent(DOMAIN, 'token', 'answer', signal), {
    problem: 'sos.example.org: the DNS does not answer in time: check the name servers of this machine',
    isCertain: false,
  })
  const patient = ownCheck({ ownAddresses: () => [], isDirect: true, resolve: () => new Promise(() => {}) })
  const stopping = new AbortController()
  const looking = patient(DOMAIN, 'token', 'answer', stopping.signal)
  stopping.abort()
  assert.equal((await looking)!.isCertain, false)
})

test('an own IPv6 address that nobody listens at is told with both remedies', async (t) => {
  const found = await looked(t, answers, { addresses: ['::1'], own: ['::1'] })
  assert.match(
    found!.problem,
    /\(::1\) does not answer: .*: listen on IPv6 too \(https\.host: '::'\), or remove the AAAA/,
  )
  assert.equal(found!.isCertain, true)
})
