import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, type TestContext, test } from 'node:test'
import { createHttpCaller } from '../../../../src/adapters/outbound/http/http-call.ts'
import {
  chirpStackRestDownlinks,
  theThingsStackDownlinks,
} from '../../../../src/adapters/outbound/network-server/http-downlinks.ts'
import type { DownlinkRoute } from '../../../../src/core/incident/downlink.ts'
import type { DownlinkMessage, DownlinkSender } from '../../../../src/ports/downlink-sender.ts'
import type { HttpCaller } from '../../../../src/ports/http-caller.ts'

const route: DownlinkRoute = {
  server: 'valley',
  devEui: 'a84041ffff185123',
  application: 'trackers',
  device: 'mia',
  profile: 'button',
  kinds: ['received'],
}
const message: DownlinkMessage = {
  route,
  port: 7,
  payload: Buffer.from('02ff', 'hex'),
  ref: '0190aaaa-0000-8000-a000-000000000001',
  expiresAt: Date.UTC(2026, 0, 1, 12, 30),
}

type Answer = { readonly status: number; readonly body?: string } | null

/** A network server that records what it is asked and answers so; null: never. */
async function networkServer(t: TestContext, answer: Answer) {
  const asked: { readonly path: string; readonly headers: Record<string, unknown>; readonly json: unknown }[] = []
  const server = createServer((request, response) => {
    text(request).then((body) => {
      asked.push({ path: `${request.method} ${request.url}`, headers: request.headers, json: JSON.parse(body) })
      if (answer !== null) response.writeHead(answer.status).end(answer.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const log = { info() {}, warn() {}, error() {} }
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const caller = createHttpCaller({ guarded: false, resolve, now: () => Date.now(), log })
  t.after(async () => {
    await caller.close()
    server.closeAllConnections()
    server.close()
  })
  const target = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'NNSXS.K', webhook: 'wh1' }
  return { asked, tts: theThingsStackDownlinks({ target, caller }), rest: chirpStackRestDownlinks({ target, caller }) }
}

suite('messages to trackers over HTTP', () => {
  test('a call that fails is logged with its network server and tracker, and as no incident', async () => {
    const abouts: object[] = []
    const caller: Pick<HttpCaller, 'post'> = {
      async post({ about }) {
        abouts.push(about)
        return { kind: 'stopped' }
      },
    }
    const target = { url: 'https://lora.example.org', key: 'NNSXS.K', webhook: 'wh1' }
    const tts = theThingsStackDownlinks({ target, caller })
    await tts.enqueue(message, 2000)
    await tts.flush?.(route, 2000)
    await chirpStackRestDownlinks({ target, caller }).enqueue(message, 2000)
    assert.deepEqual(abouts, Array(3).fill({ channel: 'downlink', server: 'valley', devEui: 'a84041ffff185123' }))
  })

  test('The Things Stack: pushed into the queue of the device, confirmed, with our id', async (t) => {
    const { asked, tts } = await networkServer(t, { status: 200 })
    assert.deepEqual(await tts.enqueue(message, 2000), { kind: 'queued', ref: message.ref })
    assert.equal(await tts.flush?.(route, 2000), true)
    const base = 'POST /api/v3/as/applications/trackers/webhooks/wh1/devices/mia/down'
    assert.deepEqual(
      asked.map(({ path, json }) => [path, json]),
      [
        [
          `${base}/push`,
          {
            downlinks: [
              { f_port: 7, frm_payload: 'Av8=', confirmed: true, priority: 'HIGH', correlation_ids: [message.ref] },
            ],
          },
        ],
        [`${base}/replace`, { downlinks: [] }],
      ],
    )
    assert.deepEqual([...new Set(asked.map(({ headers }) => headers.authorization))], ['Bearer NNSXS.K'])
  })

  test('ChirpStack’s REST API: confirmed, with its end, under the id that ChirpStack gives', async (t) => {
    const { asked, rest } = await networkServer(t, { status: 200, body: '{"id":"5d9b8a1e"}' })
    assert.deepEqual(await rest.enqueue(message, 2000), { kind: 'queued', ref: '5d9b8a1e' })
    assert.equal(asked[0]?.path, 'POST /api/devices/a84041ffff185123/queue')
    assert.equal(asked[0]?.headers['grpc-metadata-authorization'], 'Bearer NNSXS.K')
    assert.deepEqual(asked[0]?.json, {
      queueItem: { confirmed: true, fPort: 7, data: 'Av8=', expiresAt: '2026-01-01T12:30:00.000Z' },
    })
  })

  for (const body of ['', 'x', '[]', '{"id":7}', JSON.stringify({ id: 'x'.repeat(100) }), 'x'.repeat(100_000)]) {
    test(`an answer of ChirpStack without an id (${body.slice(0, 12)}) is queued all the same`, async (t) => {
      const { rest } = await networkServer(t, { status: 200, body })
      assert.deepEqual(await rest.enqueue(message, 2000), { kind: 'queued', ref: message.ref })
    })
  }

  const failures: readonly [what: string, answer: Answer, error: string, retryable: boolean, mayWait: boolean][] = [
    ['a wrong key', { status: 401 }, 'upstream HTTP 401', false, false],
    ['a device that is not there', { status: 404 }, 'upstream HTTP 404', false, false],
    ['a redirect, which nobody follows with the key', { status: 302 }, 'upstream HTTP 302', false, false],
    ['too many', { status: 429 }, 'rate limited (HTTP 429)', true, false],
    ['a fault', { status: 503 }, 'upstream HTTP 503', true, true],
    ['no answer in time', null, 'connection timeout', true, true],
  ]
  for (const [what, answer, error, retryable, mayWait] of failures) {
    test(`${what}: ${error}, ${retryable ? 'tried again' : 'final'}`, async (t) => {
      const { tts, rest } = await networkServer(t, answer)
      const timeoutMs = answer === null ? 100 : 2000
      const outcomes = await Promise.all([tts, rest].map((one: DownlinkSender) => one.enqueue(message, timeoutMs)))
      for (const outcome of outcomes) assert.deepEqual(outcome, { kind: 'failed', error, retryable, mayWait })
      assert.equal(await tts.flush?.(route, timeoutMs), false)
    })
  }
})
