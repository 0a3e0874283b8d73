import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Agent, request } from 'undici'
import { isBlockedTarget, type Resolve, systemResolve } from '../../../../src/adapters/outbound/http/address-guard.ts'
import { guardedConnector } from '../../../../src/adapters/outbound/http/guarded-connector.ts'
import { createHttpNotifiers } from '../../../../src/adapters/outbound/webhook/http-notifiers.ts'
import { standIn, status } from './stand-in.ts'

const silentLog = { info() {}, warn() {}, error() {} }

function notifiers(t: TestContext, allowPrivateTargets: boolean, resolve?: Resolve) {
  const made = createHttpNotifiers({
    allowPrivateTargets,
    clock: { now: () => 0 },
    log: silentLog,
    ...(resolve && { resolve }),
  })
  t.after(() => made.close())
  return made
}

const base = { attemptId: 'i.1', incidentId: 'i', claimedAt: 0, timeoutMs: 60_000 }
const chat = (url: string) => ({ ...base, channel: 'chat', url, format: 'text', text: 'SOS' }) as const
const webhook = (url: string) => ({ ...base, channel: 'webhook', url, secret: null, body: {}, occurrence: 1 }) as const
const blocked = { kind: 'failed', error: 'blocked address', retryable: true }

const waysToLoopback = ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', 'localhost', '127.0.0.1.']

for (const host of waysToLoopback) {
  test(`chat and webhook do not call http://${host}`, async (t) => {
    const service = await standIn(t, status(200))
    const guarded = notifiers(t, false)
    const url = `http://${host}:${service.port}/`
    assert.deepEqual(await guarded.chat.send(chat(url)), blocked)
    assert.deepEqual(await guarded.webhook.send(webhook(url)), blocked)
    assert.equal(service.connections(), 0)
    // The control: without the guard, the same address reaches the stand-in.
    const opened = await notifiers(t, true).chat.send(chat(url))
    assert.equal(opened.kind, 'delivered')
    assert.equal(service.heard.length, 1)
  })
}

for (const host of [
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '0.0.0.0',
  '169.254.169.254',
]) {
  test(`nor http://${host}, nor https`, async (t) => {
    const guarded = notifiers(t, false)
    assert.deepEqual(await guarded.chat.send(chat(`http://${host}:9/`)), blocked)
    assert.deepEqual(await guarded.chat.send(chat(`https://${host}:9/`)), blocked)
  })
}

for (const host of [
  'localhost.',
  'LOCALHOST.',
  'foo.localhost',
  'Foo.Localhost.',
  'localhost.localdomain',
  'ip6-localhost',
  '127.0.0.1.',
  '2130706433.',
  '017700000001',
  '0x7f.1',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '[::]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
]) {
  test(`http://${host} is refused when it is set and when it is called, whatever a resolver says about it`, async (t) => {
    const url = `http://${host}:9/`
    const publicAnswer: Resolve = async () => [{ address: '93.184.215.14', family: 4 }]
    const noAnswer: Resolve = async () => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
    }
    for (const resolve of [publicAnswer, noAnswer]) {
      assert.equal(await isBlockedTarget(url, resolve), true)
      const guarded = notifiers(t, false, resolve)
      assert.deepEqual(await guarded.chat.send(chat(url)), blocked)
      assert.deepEqual(await guarded.webhook.send(webhook(url)), blocked)
    }
  })
}

test('a name that only resembles a local one is looked up like any other', async () => {
  for (const host of ['localhost.example.org', 'notlocalhost', 'mylocalhost.org.', 'ip6-localhost.example.org']) {
    const asked: string[] = []
    const resolve: Resolve = async (name) => {
      asked.push(name)
      return [{ address: '93.184.215.14', family: 4 }]
    }
    assert.deepEqual([await isBlockedTarget(`http://${host}/`, resolve), asked], [false, [host]])
  }
})

test('a contact’s own gateway may have any address', async (t) => {
  const service = await standIn(t, status(204))
  const { http } = notifiers(t, false)
  const sent = await http.send({ ...base, channel: 'http', contactId: 'c', url: service.url, body: {} })
  assert.equal(sent.kind, 'delivered')
})

test('a connection opened for a contact’s gateway is not used for a guarded channel', async (t) => {
  const service = await standIn(t, status(200))
  const { http, chat: guarded } = notifiers(t, false)
  await http.send({ ...base, channel: 'http', contactId: 'c', url: service.url, body: {} })
  assert.deepEqual(await guarded.send(chat(service.url)), blocked)
  assert.equal(service.heard.length, 1)
})

test('a name that changes to loopback after it was accepted is refused when it is called', async (t) => {
  const service = await standIn(t, status(200))
  const answers = ['93.184.215.14', '127.0.0.1', '127.0.0.1']
  const rebinding: Resolve = async () => [{ address: answers.shift()!, family: 4 }]
  const url = `http://hook.example.org:${service.port}/`
  assert.equal(await isBlockedTarget(url, rebinding), false)
  const guarded = notifiers(t, false, rebinding)
  assert.deepEqual(await guarded.chat.send(chat(url)), blocked)
  assert.equal(service.connections(), 0)
})

test('each new connection is checked again', async (t) => {
  const answers = ['10.0.0.1', '192.168.0.1', '::1']
  const guarded = notifiers(t, false, async () => [{ address: answers.shift()!, family: 4 }])
  for (const _ of [1, 2, 3]) assert.deepEqual(await guarded.chat.send(chat('http://hook.example.org/')), blocked)
  assert.equal(answers.length, 0)
})

test('a name with one blocked address among public ones is refused, in either order', async (t) => {
  for (const addresses of [
    ['93.184.215.14', '127.0.0.1'],
    ['127.0.0.1', '93.184.215.14'],
  ]) {
    const guarded = notifiers(t, false, async () => addresses.map((address) => ({ address, family: 4 })))
    assert.deepEqual(await guarded.chat.send(chat('http://hook.example.org/')), blocked)
  }
})

test('the checked address is the one that is connected to', async (t) => {
  const service = await standIn(t, status(200))
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2']
  const seen: string[] = []
  // Here 127.0.0.2 plays the private address, so that the public one is reachable.
  const connect = guardedConnector(
    async () => [{ address: answers.shift()!, family: 4 }],
    (address) => {
      seen.push(address)
      return address === '127.0.0.2'
    },
  )
  const agent = new Agent({ connect })
  t.after(() => agent.destroy())
  const call = () => request(`http://hook.example.org:${service.port}/`, { dispatcher: agent })
  const first = await call()
  await first.body.dump()
  assert.deepEqual(seen, ['127.0.0.1'])
  assert.equal(answers.length, 2)
  const literal = request(`http://127.0.0.2:${service.port}/`, { dispatcher: agent })
  await assert.rejects(literal, { code: 'E_BLOCKED_ADDRESS' })
  assert.equal(service.connections(), 1)
})

test('a redirect to loopback is not followed', async (t) => {
  const inside = await standIn(t, status(200))
  const outside = await standIn(t, status(302, { location: inside.url }))
  // The outside is reached without the guard, as a public address would be.
  const open = notifiers(t, true)
  const outcome = await open.webhook.send(webhook(outside.url))
  assert.deepEqual(outcome, { kind: 'failed', error: 'upstream HTTP 302', retryable: true })
  assert.equal(inside.connections(), 0)
})

test('a name without any address is not found', async (t) => {
  const guarded = notifiers(t, false, async () => {
    throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
  })
  const outcome = await guarded.chat.send(chat('http://hook.example.org/'))
  assert.deepEqual(outcome, { kind: 'failed', error: 'name not found', retryable: true })
})

test('simultaneous look-ups of a name share one answer, later ones do not', async () => {
  const resolve = systemResolve()
  const [first, second] = [resolve('localhost'), resolve('localhost')]
  assert.equal(first, second)
  await first
  assert.notEqual(resolve('localhost'), first)
})
