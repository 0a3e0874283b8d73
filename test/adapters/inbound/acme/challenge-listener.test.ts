import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { suite, type TestContext, test } from 'node:test'
import {
  CHALLENGE_CONNECTIONS,
  type ChallengeNeeds,
  openChallengeListener,
} from '../../../../src/adapters/inbound/acme/challenge-listener.ts'
import { isAmong } from '../../../../src/adapters/inbound/http/client-address.ts'
import { headerOf } from '../../../harness/balancer.ts'
import { until } from '../../../harness/wait.ts'

const SITE = 'https://sos.example.org:8443'
const TOKEN = 'a-token_of-the-CA'

async function opened(t: TestContext, more: Partial<ChallengeNeeds> = {}) {
  const listener = await openChallengeListener(
    { host: '127.0.0.1', port: 0 },
    {
      answerOf: async (token) => (token === TOKEN ? `${token}.thumbprint` : null),
      site: () => SITE,
      balancers: null,
      ...more,
    },
  )
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await listener.close()
  })
  return {
    url: `http://127.0.0.1:${listener.port}`,
    connected(localAddress = '127.0.0.1'): Socket {
      const socket = connect({ host: '127.0.0.1', port: listener.port, localAddress })
      sockets.push(socket)
      return socket.on('error', () => {})
    },
  }
}

const asked = (url: string, options: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', ...options })

suite('the listener for challenges', () => {
  test('answers a challenge, and closes', async (t) => {
    const { url } = await opened(t)
    const answer = await asked(`${url}/.well-known/acme-challenge/${TOKEN}?x=1`)
    assert.deepEqual([answer.status, await answer.text()], [200, `${TOKEN}.thumbprint`])
    assert.equal(answer.headers.get('connection'), 'close')
  })

  test('knows nothing of another token, and says so while the store is silent', async (t) => {
    const { url } = await opened(t)
    assert.equal((await asked(`${url}/.well-known/acme-challenge/other`)).status, 404)
    const silent = await opened(t, { answerOf: () => Promise.reject(new Error('down')) })
    assert.equal((await asked(`${silent.url}/.well-known/acme-challenge/${TOKEN}`)).status, 503)
  })

  for (const [title, request, location] of [
    ['a page', 'GET /t/abc?x=1 HTTP/1.1', `${SITE}/t/abc?x=1`],
    ['an alarm', 'POST /v1/sdk/sos HTTP/1.1', `${SITE}/v1/sdk/sos`],
    ['a path that looks like a host', 'GET //evil.example/ HTTP/1.1', `${SITE}//evil.example/`],
    ['a whole address', 'GET http://evil.example/x HTTP/1.1', `${SITE}/`],
    [
      'a token with a path in it',
      'GET /.well-known/acme-challenge/../x HTTP/1.1',
      `${SITE}/.well-known/acme-challenge/../x`,
    ],
    [
      'another method for a token',
      `POST /.well-known/acme-challenge/${TOKEN} HTTP/1.1`,
      `${SITE}/.well-known/acme-challenge/${TOKEN}`,
    ],
  ] as const) {
    test(`leads ${title} to the site, whatever host was named`, async (t) => {
      const { connected } = await opened(t)
      const socket = connected()
      socket.write(`${request}\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n`)
      const answer = await textOf(socket)
      assert.match(answer, /^HTTP\/1\.1 308 /)
      assert.equal(/^location: (.*)\r$/im.exec(answer)?.[1], location)
    })
  }

  test('leads nobody anywhere without an https address', async (t) => {
    const { url } = await opened(t, { site: () => null })
    assert.equal((await asked(`${url}/`)).status, 404)
  })

  test('takes one request a connection, and headers of a few kilobytes', async (t) => {
    const { connected } = await opened(t)
    const many = connected()
    many.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100))
    assert.equal((await textOf(many)).split('HTTP/1.1 308').length, 2)
    const long = connected()
    long.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`)
    assert.match(await textOf(long), /^HTTP\/1\.1 431 /)
    const rubbish = connected()
    rubbish.write('\u0016\u0003\u0001 not HTTP\r\n\r\n')
    assert.match(await textOf(rubbish), /^HTTP\/1\.1 400 /)
  })

  test('ends a connection that says nothing, or never ends', async (t) => {
    const { connected } = await opened(t, { connectionMs: 100 })
    const [silent, slow] = [connected(), connected()]
    slow.write('GET / HTTP/1.1\r\nX: ')
    await Promise.all([silent, slow].map((socket) => once(socket, 'close')))
  })

  test('a crowd of one address keeps nobody else out', async (t) => {
    const { url, connected } = await opened(t)
    const crowd = Array.from({ length: CHALLENGE_CONNECTIONS + 50 }, (_, n) => connected(`127.0.0.${2 + (n % 8)}`))
    await until('they are in, or were refused', () => crowd.every(({ connecting }) => !connecting))
    assert.equal((await asked(`${url}/.well-known/acme-challenge/${TOKEN}`)).status, 200)
  })

  test('reads the PROXY header of a load balancer', async (t) => {
    const refused: string[] = []
    const balancers = { includes: isAmong(['127.0.0.1']), refused: (_: string, why: string) => void refused.push(why) }
    const { connected } = await opened(t, { balancers })
    const [proxied, bare] = [connected(), connected()]
    const request = `GET /.well-known/acme-challenge/${TOKEN} HTTP/1.1\r\nHost: x\r\n\r\n`
    proxied.write(Buffer.concat([headerOf('192.0.2.7', 4000), Buffer.from(request)]))
    assert.match(await textOf(proxied), /^HTTP\/1\.1 200 /)
    bare.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(bare.resume(), 'close')
    assert.equal(refused.length, 1)
  })
})
