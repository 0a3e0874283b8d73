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
