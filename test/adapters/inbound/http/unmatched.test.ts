import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ask, BEN, JSON_TYPE, SIGNED, sharedHttp, TOKEN } from './stand-in.ts'

suite('a request that no route takes', () => {
  const shared = sharedHttp()

  for (const [method, path, allow, pattern] of [
    ['POST', '/healthz', 'GET, HEAD', '/healthz'],
    ['PATCH', '/v1/sdk/me?full=1', 'GET, HEAD, PUT', '/v1/sdk/me'],
    ['DELETE', '/v1/sdk/%6De', 'GET, HEAD, PUT', '/v1/sdk/me'],
    ['GET', `/v1/sdk/contacts/${BEN.id}`, 'DELETE, PUT', '/v1/sdk/contacts/:id'],
    ['GET', '/v1/sdk/contacts/a%2Fb', 'DELETE, PUT', '/v1/sdk/contacts/:id'],
    ['POST', '/v1/sdk/contacts/', 'DELETE, PUT', '/v1/sdk/contacts/:id'],
    ['GET', '/v1/sdk/contacts/reorder', 'PUT', '/v1/sdk/contacts/reorder'],
    // Not a contact with that id.
    ['DELETE', '/v1/sdk/contacts/reorder', 'PUT', '/v1/sdk/contacts/reorder'],
    ['PUT', `/t/${TOKEN}/ack`, 'GET, HEAD, POST', '/t/:token/ack'],
    ['POST', '/docs/static/a/b', 'GET, HEAD', '/docs/static/*'],
    ['OPTIONS', '/v1/sdk/sos', 'GET, HEAD, POST', '/v1/sdk/sos'],
  ] as const) {
    test(`${method} ${path}: 405, allowed are ${allow}`, async () => {
      const site = shared()
      // Before the body is read.
      const body = method === 'GET' ? {} : { headers: JSON_TYPE, body: '{' }
      const answer = await ask(site, method, path, body)
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.get('allow'), allow)
      assert.equal(answer.json.error.code, 'E_METHOD_NOT_ALLOWED')
      assert.deepEqual(site.calls, [], 'no session is looked up')
      assert.deepEqual(
        site.counted.map(({ labels }) => labels),
        [{ route: `${method} ${pattern}`, status: '405' }],
      )
    })
  }

  for (const [method, path] of [
    ['POST', '/nowhere'],
    ['PUT', '/v1/sdk/me/'],
    ['POST', '/v1/sdk/contacts/a/b'],
    ['POST', '/docs/static'],
    ['PROPFIND', '/healthz'],
    ['POST', `/${'/'.repeat(10_000)}`],
  ] as const) {
    test(`${method} ${path.slice(0, 30)}: 404, whatever is sent`, async () => {
      const site = shared()
      for (const [type, body] of [
        ['application/json', '{'],
        ['application/json', ' '.repeat(100_000)],
        ['nonsense', 'x'],
      ] as const) {
        const answer = await ask(site, method, path, { headers: { ...SIGNED, 'content-type': type }, body })
        assert.equal(answer.status, 404)
        assert.equal(answer.json.error.code, 'E_NOT_FOUND')
      }
      assert.deepEqual(site.lines, [], 'nothing is logged')
      assert.ok(site.counted.every(({ labels }) => labels.route === 'unmatched'))
    })
  }
})
