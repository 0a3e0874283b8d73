import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { createGatewayNotifier } from '../../src/adapters/outbound/gateway/gateway-notifier.ts'
import { gatewayRequest } from '../../src/adapters/outbound/gateway/gateway-template.ts'
import { createHttpNotifiers } from '../../src/adapters/outbound/webhook/http-notifiers.ts'
import { signedHeaders } from '../../src/adapters/outbound/webhook/standard-webhook.ts'
import { channelsOf } from '../../src/config/provider-channels.ts'
import { readConfig } from '../../src/config.ts'
import { textNotification } from '../harness/text-notification.ts'
import { blocksOf } from './page.ts'

const page = await readFile(new URL('../../docs/notifications.md', import.meta.url), 'utf8')
const block = (info: string): string => {
  const found = blocksOf(page).find((one) => one.info === info)
  assert.ok(found, `the page has no block \`${info}\``)
  return found.text
}

async function directory(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tocsin-docs-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

const gatewayOf = (yaml: string) => parse(yaml).gateway

/** What a gateway on this machine receives when it is called as an example says. */
async function received(t: TestContext, example: string, text: string) {
  const heard: { path: string; headers: Record<string, unknown>; text: string }[] = []
  const server = createServer(async (request, response) => {
    heard.push({ path: request.url!, headers: request.headers, text: await textOf(request) })
    response.writeHead(202).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const cwd = await directory(t)
  const file = join(cwd, 'tocsin.yaml')
  await writeFile(file, block(example))
  const read = readConfig({ file, env: {}, cwd })
  assert.ok('config' in read, `${example} is a configuration that the service takes`)
  // A call to such a gateway would arrive as one more SMS.
  assert.deepEqual([gatewayOf(block(example)).channels, channelsOf('http', read.config)], [['sms'], ['sms']])
  const gateway = gatewayOf(block(example))
  const url = new URL(gateway.url)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const log = { info() {}, warn() {}, error() {} }
  const { caller, close } = createHttpNotifiers({ allowPrivateTargets: false, clock: { now: () => 0 }, log })
  t.after(close)
  const notifier = createGatewayNotifier({
    channels: ['sms', 'voice'],
    gateway: { url: url.href, headers: gateway.headers ?? {}, template: gateway.template ?? null },
    caller,
  })
  const outcome = await notifier.send(textNotification({ text }))
  assert.deepEqual(outcome, { kind: 'sent', provider: 'http', providerRef: null })
  return heard[0]!
}

const TO = '+4366012345678'
const TEXT = 'SOS: "Mia" & Müller\\ needs 100% help! ¿{to}?'

test('an Android phone gets what it documents, whatever the name contains', async (t) => {
  const { path, headers, text } = await received(t, 'yaml smsgate', TEXT)
  assert.equal(path, '/message')
  assert.equal(headers.authorization, `Basic ${Buffer.from('sms:password').toString('base64')}`)
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.deepEqual(JSON.parse(text), { textMessage: { text: TEXT }, phoneNumbers: [TO] })
})

test('Kannel gets its parameters in headers and the text as the body', async (t) => {
  const { path, headers, text } = await received(t, 'yaml kannel', TEXT)
  assert.equal(path, '/cgi-bin/sendsms')
  assert.deepEqual(
    ['content-type', 'x-kannel-username', 'x-kannel-password', 'x-kannel-to'].map((name) => headers[name]),
    ['text/plain; charset=UTF-8', 'tocsin', 'password', TO],
  )
  assert.equal(text, TEXT)
})

test('a wrapper around gammu gets a form', async (t) => {
  const { headers, text } = await received(t, 'yaml gammu', TEXT)
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  assert.deepEqual(Object.fromEntries(new URLSearchParams(text)), { number: TO, message: TEXT, id: 'i.1' })
})

test('without a template the body is the one that the page shows', () => {
  const shown = JSON.parse(block('json gateway'))
  const { body } = gatewayRequest({ url: 'http://192.168.1.20/', headers: {}, template: null }, shown)
  assert.deepEqual(JSON.parse(body), shown)
})

test('the example for webhooks distinguishes an event from a forgery, a retry and a test', async (t) => {
  const file = join(await directory(t), 'snippet.mjs')
  const library = import.meta.resolve('standardwebhooks')
  await writeFile(file, block('js webhook').replace("'standardwebhooks'", JSON.stringify(library)))
  const { eventOf } = await import(pathToFileURL(file).href)
  const secret = `whsec_${Buffer.from('thirty-two bytes of some secret!').toString('base64')}`
  const seen = new Set()
  const call = (type: string, id: string, key = secret) => {
    const rawBody = JSON.stringify({ type, data: { user: { name: 'Mia Müller 🆘' } } })
    return { secret, rawBody, headers: signedHeaders({ id, at: Date.now(), body: rawBody, secret: key }), seen }
  }
  assert.equal(eventOf(call('sos.opened', 'msg_1', 'whsec_AAAA')), null)
  assert.equal(eventOf(call('sos.opened', 'msg_1')).news, true)
  assert.equal(eventOf(call('sos.opened', 'msg_1')).news, false)
  assert.equal(eventOf(call('sos.closed', 'msg_2')).news, true)
  assert.equal(eventOf(call('sos.test', 'msg_3')).news, false)
  const tampered = call('sos.opened', 'msg_4')
  assert.equal(eventOf({ ...tampered, rawBody: tampered.rawBody.replace('Mia', 'Max') }), null)
})
