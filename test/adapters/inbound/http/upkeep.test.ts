import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { release } from '../../../../src/lib/release.ts'
import { ask, startHttp } from './stand-in.ts'

/** Which version answers; in a checkout of no commit. */
const about = { ...release, schema: 1 }

suite('health', () => {
  test('/healthz says that the process is alive, to GET and HEAD', async (t) => {
    const site = await startHttp(t)
    assert.deepEqual((await ask(site, 'GET', '/healthz')).json, { status: 'ok' })
    assert.equal((await ask(site, 'HEAD', '/healthz')).status, 200)
  })

  test('/readyz is 200 while there is no reason against it', async (t) => {
    const answer = await ask(await startHttp(t), 'GET', '/readyz')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, { status: 'ready', reasons: [], ...about })
  })

  test('/readyz is 503 with the reasons', async (t) => {
    const site = await startHttp(t, { readiness: async () => ['the store cannot write', 'the dispatcher is late'] })
    const answer = await ask(site, 'GET', '/readyz')
    assert.equal(answer.status, 503)
    assert.deepEqual(answer.json, {
      status: 'not ready',
      reasons: ['the store cannot write', 'the dispatcher is late'],
      ...about,
    })
  })

  test('/readyz is 503 when the check itself fails, and does not say why', async (t) => {
    const failing = async () => {
      throw new Error('secret')
    }
    const answer = await ask(await startHttp(t, { readiness: failing }), 'GET', '/readyz')
    assert.equal(answer.status, 503)
    assert.deepEqual(answer.json.reasons, ['the readiness check failed'])
  })

  test('/readyz answers even if the check hangs', async (t) => {
    const site = await startHttp(t, { readiness: () => new Promise(() => {}), readinessMs: 20 })
    const answer = await ask(site, 'GET', '/readyz')
    assert.equal(answer.status, 503)
    assert.deepEqual(answer.json.reasons, ['the readiness check timed out'])
  })
})

suite('/metrics is for the operator', () => {
  const proxied = { 'x-forwarded-for': '203.0.113.9' }
  const local = { 'x-forwarded-for': '127.0.0.1' }
  const token = (text: string) => ({ authorization: `Bearer ${text}` })
  const cases = [
    { who: 'this machine', parts: {}, headers: {}, status: 200 },
    { who: 'a proxy on this machine that is not trusted', parts: {}, headers: proxied, status: 401 },
    { who: 'a client that claims to be local', parts: {}, headers: local, status: 401 },
    { who: 'a client behind a trusted proxy', parts: { trustProxy: '127.0.0.1' }, headers: proxied, status: 401 },
    {
      who: 'a local client behind a trusted proxy',
      parts: { trustProxy: '127.0.0.1/32' },
      headers: local,
      status: 200,
    },
    {
      who: 'a client that claims to be local while every proxy is trusted',
      parts: { trustProxy: true },
      headers: { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
      status: 401,
    },
    {
      who: 'the right token',
      parts: { metricsToken: 'open sesame' },
      headers: { ...proxied, ...token('open sesame') },
      status: 200,
    },
    {
      who: 'a wrong token',
      parts: { metricsToken: 'open sesame' },
      headers: { ...proxied, ...token('open') },
      status: 401,
    },
    {
      who: 'a token although none is set',
      parts: { metricsToken: null },
      headers: { ...proxied, ...token('null') },
      status: 401,
    },
  ]
  for (const { who, parts, headers, status } of cases) {
    test(`${who} → ${status}`, async (t) => {
      const answer = await ask(await startHttp(t, parts), 'GET', '/metrics', { headers })
      assert.equal(answer.status, status)
      if (status === 200) assert.equal(answer.text, '# HELP tocsin_up\n')
      else assert.equal(answer.json.error.code, 'E_UNAUTHORIZED')
    })
  }
})
