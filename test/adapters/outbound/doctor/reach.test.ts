import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { pageHeaders } from '../../../../src/adapters/inbound/http/tracking/style.ts'
import { openLink } from '../../../../src/adapters/outbound/doctor/reach.ts'

test('a page that another program does not find is no tracking page, though it numbers its requests, too', async (t) => {
  let headers: Readonly<Record<string, string>> = {}
  const server = createServer((_, response) => {
    response.writeHead(404, { 'x-request-id': '1', ...headers }).end('not found')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  assert.deepEqual(await openLink(url), { status: 404, isOurs: false })
  headers = pageHeaders
  assert.deepEqual(await openLink(url), { status: 404, isOurs: true })
})

test('a redirect is followed from http to https of the same host, and nowhere else', async () => {
  const page = () => new Response('not found', { status: 404, headers: { 'x-request-id': '1', ...pageHeaders } })
  const asked: string[] = []
  /** `location`: what http leads to. */
  const led = (location: string, secured: () => Response = page) => {
    asked.length = 0
    return openLink('http://sos.example/base', async (url) => {
      asked.push(String(url))
      return String(url).startsWith('http:') ? new Response(null, { status: 301, headers: { location } }) : secured()
    })
  }
  const there = 'https://sos.example/base/t/doctor'
  assert.deepEqual(await led(there), { status: 301, isOurs: false, securedAt: 'https://sos.example/base' })
  assert.deepEqual(asked, ['http://sos.example/base/t/doctor', there])
  const stays = { status: 301, isOurs: false }
  for (const elsewhere of [
    'https://other.example/base/t/doctor',
    'http://sos.example/t/doctor',
    'https://sos.example/',
    '://',
  ]) {
    assert.deepEqual([await led(elsewhere), asked.length], [stays, 1], elsewhere)
  }
  assert.deepEqual(await led(there, () => new Response('hello')), stays)
  const refuses = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' }) })
  }
  assert.deepEqual(await led(there, refuses), { failed: 'certificate not accepted' })
})
