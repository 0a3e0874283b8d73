import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { Certificate } from '../../../src/adapters/inbound/door/secure.ts'
import { createHttpServer } from '../../../src/adapters/inbound/http/server.ts'
import type { Sent } from '../../fixtures/small-pieces.ts'
import { until } from '../../harness/wait.ts'
import { newAuthority, ownPair } from '../platform/tls/stand-in.ts'
import { connectPacket, startBroker } from './broker/harness.ts'
import { SIGNED, standIn } from './http/stand-in.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const CONNECTIONS = 60
/** docs/reference/limits.md#connections. Without OpenSSL's memory outside the heap, the same for any traffic. */
const MAX_BYTES = 192 * 1024
const SEND = new URL('../../fixtures/small-pieces.ts', import.meta.url)

/** What is held, without garbage. */
function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Resolves when this thread has nothing to do: it has read all that it takes for now. */
async function idle(): Promise<void> {
  let at = performance.eventLoopUtilization()
  await until('all is read', () => {
    const since = performance.eventLoopUtilization(at)
    if (since.idle + since.active < 50) return false
    at = performance.eventLoopUtilization()
    return since.utilization < 0.3
  })
}

/** Clients in a thread of their own, whose memory does not count. */
function clientsOf(t: TestContext) {
  const client = new Worker(SEND)
  t.after(() => client.terminate())
  /** Ends the connections before, and resolves with how many stay once all is sent. */
  const connected = async (sent: Omit<Sent, 'connections'>, connections: number): Promise<number> => {
    client.postMessage({ ...sent, connections } satisfies Sent)
    const [open] = (await once(client, 'message')) as [number]
    return open
  }
  return async (what: string, sent: Omit<Sent, 'connections'>, isCounted = true): Promise<void> => {
    await connected(sent, 0)
    await idle()
    const before = held()
    const open = await connected(sent, CONNECTIONS)
    await idle()
    const each = (): number => (held() - before) / CONNECTIONS
    if (isCounted) await until(`${what}: at most 192 KB a connection`, () => each() <= MAX_BYTES, 5_000)
    t.diagnostic(`${what}: ${Math.round(each() / 1024)} KB, ${open} of ${CONNECTIONS} stay`)
  }
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const lines = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n`
const CHUNKED = ['host: localhost', 'content-type: application/json', 'transfer-encoding: chunked', '']
const FOREIGN = { ...SIGNED, 'x-app-id': '0a000000-0000-7000-8000-0000000000ff' }
const asUser = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
/** An eighth of a kilobyte for each would be half a megabyte. */
const CHUNKS = { piece: '1\r\na\r\n'.repeat(500), times: 8 }

const requests: readonly (readonly [string, { head: string; piece: string; times: number }])[] = [
  ['a head in short lines', { head: 'GET /healthz HTTP/1.1\r\n', piece: 'a:b\r\n'.repeat(100), times: 100 }],
  ['an SOS', { head: lines('POST /v1/sdk/sos HTTP/1.1', ...asUser(SIGNED), ...CHUNKED), ...CHUNKS }],
  ['an SOS of nobody', { head: lines('POST /v1/sdk/sos HTTP/1.1', ...asUser(FOREIGN), ...CHUNKED), ...CHUNKS }],
  ['an end', { head: lines('POST /v1/sdk/sos/cancel HTTP/1.1', ...asUser(SIGNED), ...CHUNKED), ...CHUNKS }],
  ['telemetry', { head: lines('POST /v1/sdk/telemetry HTTP/1.1', ...asUser(SIGNED), ...CHUNKED), ...CHUNKS }],
  [
    'a sign-in',
    {
      head: lines(
        'POST /v1/operator/session HTTP/1.1',
        ...['x-tocsin-console: 1', 'origin: http://localhost', ...CHUNKED],
      ),
      ...CHUNKS,
    },
  ],
  ['a path that does not exist', { head: lines('POST /nowhere HTTP/1.1', ...CHUNKED), ...CHUNKS }],
  ['requests whose answers nobody reads', { head: '', piece: 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n', times: 100 }],
]

for (const isSecure of [false, true]) {
  const over = isSecure ? 'HTTPS' : 'HTTP'
  test(`a connection holds at most 192 KB, whatever comes in pieces of a byte over ${over}`, async (t) => {
    const http = await createHttpServer(standIn().parts)
    t.after(() => http.close())
    const at = { host: '127.0.0.1', port: 0 }
    const certificate = new Certificate(await ownPair(await newAuthority()))
    const url = await (isSecure ? http.listen(at, certificate) : http.listen(at))
    const port = Number(new URL(url).port)
    const hold = clientsOf(t)
    // Loads what the first connections and requests need.
    await hold(
      'the first',
      { port, isSecure, head: bytes(requests[1]![1].head), piece: bytes('0\r\n\r\n'), times: 1 },
      false,
    )
    for (const [what, { head, piece, times }] of requests) {
      await hold(what, { port, isSecure, head: bytes(head), piece: bytes(piece), times })
    }
  })
}

/** Frames (RFC 6455, 5.2) with a zero mask. */
const frame = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x82, 0x80 | payload.length, 0, 0, 0, 0]), payload])

test('a connection holds at most 192 KB, whatever comes in pieces of a byte over MQTT and WebSocket', async (t) => {
  const { webSocketUrl, url } = await startBroker(t)
  const tcp = { port: Number(new URL(url).port), isSecure: false }
  const ws = { port: Number(new URL(webSocketUrl).port), isSecure: false }
  const upgrade = lines(
    ...['GET /mqtt HTTP/1.1', 'Host: hut', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...[`Sec-WebSocket-Key: ${'A'.repeat(22)}==`, 'Sec-WebSocket-Protocol: mqtt', ''],
  )
  /** A CONNECT of 64 KB without its end, as an unfinished header with a long client id. */
  const endless = Buffer.from([0x10, 0xff, 0xff, 0x03, 0, 4, ...bytes('MQTT'), 4, 2, 0, 60, 0xff, 0xff])
  const login = connectPacket(4)
  const pings = Buffer.concat(Array.from({ length: 500 }, () => Buffer.from([0xc0, 0])))
  const framed = (all: Buffer): Buffer => Buffer.concat([...all].map((byte) => frame(Buffer.from([byte]))))
  const sent: readonly (readonly [string, Omit<Sent, 'connections'>])[] = [
    ['a CONNECT without an end', { ...tcp, head: endless, piece: Buffer.alloc(1_000, 'a'), times: 64 }],
    ['pings', { ...tcp, head: login, piece: pings, times: 100 }],
    [
      'a CONNECT without an end, a byte a frame',
      {
        ...ws,
        head: Buffer.concat([bytes(upgrade), framed(endless)]),
        piece: framed(Buffer.alloc(500, 'a')),
        times: 128,
      },
    ],
    [
      'empty frames',
      {
        ...ws,
        head: bytes(upgrade),
        piece: Buffer.concat(Array.from({ length: 500 }, () => frame(Buffer.alloc(0)))),
        times: 64,
      },
    ],
  ]
  const hold = clientsOf(t)
  await hold('the first', { ...tcp, head: login, piece: pings, times: 1 }, false)
  await hold('the first', { ...ws, head: bytes(upgrade), piece: framed(login), times: 1 }, false)
  for (const [what, one] of sent) await hold(what, one)
})
