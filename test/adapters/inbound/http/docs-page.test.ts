import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import { processorMs } from '../../../harness/processor-time.ts'
import { ask, sharedHttp, startHttp, talk } from './stand-in.ts'

/** Every URL in a page or its script that a browser would fetch. */
const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link!)

suite('/docs', () => {
  const shared = sharedHttp()
  const page = async () => {
    const site = shared()
    return { site, answer: await ask(site, 'GET', '/docs') }
  }

  test('is a page whose parts are all served here', async () => {
    const { site, answer } = await page()
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    const links = linksIn(answer.text)
    assert.ok(links.length >= 5)
    const documents = ['/docs', '/docs?for=operator', '/docs?for=broker']
    assert.deepEqual(
      links.filter((link) => !link.startsWith('/docs/static/')),
      documents,
    )
    for (const link of links) assert.equal((await ask(site, 'GET', link)).status, 200, link)
  })

  test('may contact no other host, and is not forced off plain HTTP', async () => {
    const { answer } = await page()
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /connect-src 'self'/)
    assert.doesNotMatch(policy, /https?:|\*|upgrade-insecure-requests|validator/)
  })

  test('shows what /openapi.json says', async () => {
    const { site } = await page()
    const { json } = await ask(site, 'GET', '/openapi.json')
    assert.deepEqual((await ask(site, 'GET', '/docs/json')).json, json)
    assert.deepEqual(parse((await ask(site, 'GET', '/docs/yaml')).text), json)
  })

  test('has a policy different from that of the other pages', async () => {
    const { site } = await page()
    const { headers } = await ask(site, 'GET', '/v1/sdk/me')
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /script-src/)
  })

  for (const path of [
    '/docs/static/../../package.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/%2e%2e/index.js',
    '/docs/static/..%2findex.js',
    '/docs/static/%00',
    '/docs/static//etc/passwd',
    '/docs/static/%2fetc%2fpasswd',
    '/docs/static/constructor',
    '/docs/static/',
    '/docs/static/nothing',
    '//etc/passwd',
    '/%00',
  ]) {
    test(`${path} is not found`, async (t) => {
      const { port } = shared()
      // Sent raw: `fetch` would resolve the path first.
      const answer = await talk(t, port, `GET ${path} HTTP/1.1\r\nHost: hut\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 404 /)
      assert.match(answer, /"E_NOT_FOUND"/)
    })
  }

  test('a thousand requests for it cost no more than as many for anything else', async (t) => {
    const { port } = shared()
    const asks = async (path: string): Promise<void> => {
      const last = `GET /healthz HTTP/1.1\r\nHost: hut\r\nConnection: close\r\n\r\n`
      const answers = await talk(t, port, `GET ${path} HTTP/1.1\r\nHost: hut\r\n\r\n`.repeat(200), last)
      assert.equal(answers.match(/HTTP\/1\.1 200 /g)?.length, 201)
    }
    const health = await processorMs(0, () => asks('/healthz'))
    const bound = 10 * health + 3_000
    const yaml = await processorMs(bound, () => asks('/docs/yaml'))
    // It has 100 KB, and used to take 70 ms to generate.
    assert.ok(yaml < bound, `${yaml} ms, and ${health} ms for /healthz`)
  })

  test('can be switched off together with the interface documents', async (t) => {
    const site = await startHttp(t, { docs: false })
    for (const path of [
      '/docs',
      '/docs/json',
      '/docs/yaml',
      '/docs/static/index.css',
      '/openapi.json',
      '/openapi-operator.json',
      '/openapi-broker.json',
      '/asyncapi.json',
    ]) {
      assert.equal((await ask(site, 'GET', path)).status, 404, path)
    }
    assert.equal((await ask(site, 'GET', '/healthz')).status, 200)
    assert.doesNotMatch((await ask(site, 'GET', '/')).text, /docs/)
  })

  test('files in pieces arrive whole, and HEAD reports their length', async () => {
    const site = shared()
    const { text, headers } = await ask(site, 'GET', '/docs/static/swagger-ui-bundle.js')
    assert.equal(Buffer.byteLength(text), Number(headers.get('content-length')))
    assert.ok(text.length > 1_000_000)
    const head = await ask(site, 'HEAD', '/docs/static/swagger-ui-bundle.js')
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('content-length'), headers.get('content-length'))
  })
})

suite('/', () => {
  const shared = sharedHttp()
  test('says what this is, and nothing about the site', async () => {
    const answer = await ask(shared(), 'GET', '/')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(answer.text, /receives SOS alerts/)
    assert.match(answer.text, /call the emergency services first/)
    assert.doesNotMatch(answer.text, /\d+\.\d+\.\d+/)
    assert.doesNotMatch(answer.text, /<script/)
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    const german = await ask(shared(), 'GET', '/', { headers: { 'accept-language': 'de-AT,en;q=0.5' } })
    assert.match(german.text, /<html lang="de">.*Haben Sie eine SMS bekommen/s)
  })
})
