import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { ask, startHttp } from './stand-in.ts'

/** Every address in a page or its script that a browser would fetch something from. */
const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link!)

suite('/docs', () => {
  const page = async (t: TestContext) => {
    const site = await startHttp(t)
    return { site, answer: await ask(site, 'GET', '/docs') }
  }

  test('is a page whose parts are all served here', async (t) => {
    const { site, answer } = await page(t)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    const links = linksIn(answer.text)
    assert.ok(links.length >= 5)
    for (const link of links) {
      assert.match(link, /^\/docs\/static\//)
      assert.equal((await ask(site, 'GET', link)).status, 200, link)
    }
  })

  test('may ask no other host, and is not made to leave plain HTTP', async (t) => {
    const { answer } = await page(t)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /connect-src 'self'/)
    assert.doesNotMatch(policy, /https?:|\*|upgrade-insecure-requests|validator/)
  })

  test('shows what /openapi.json says', async (t) => {
    const { site } = await page(t)
    const { json } = await ask(site, 'GET', '/openapi.json')
    assert.deepEqual((await ask(site, 'GET', '/docs/json')).json, json)
    assert.deepEqual(parse((await ask(site, 'GET', '/docs/yaml')).text), json)
  })

  test('its policy is not that of the other pages', async (t) => {
    const { site } = await page(t)
    const { headers } = await ask(site, 'GET', '/v1/sdk/me')
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /script-src/)
  })

  for (const path of [
    '/docs/static/../../package.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/nothing',
  ]) {
    test(`${path} is not found`, async (t) => {
      const answer = await ask(await startHttp(t), 'GET', path)
      assert.equal(answer.status, 404)
      assert.equal(answer.json.error.code, 'E_NOT_FOUND')
    })
  }
})
