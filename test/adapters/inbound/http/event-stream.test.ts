import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { STREAMS_PER_USER } from '../../../../src/adapters/inbound/http/admission/throttle.ts'
import { UserStreams } from '../../../../src/adapters/inbound/http/sdk/user-streams.ts'
import { ownTopics } from '../../../../src/core/ingest/topic.ts'
import { StoreError } from '../../../../src/ports/store.ts'
import { until } from '../../../harness/wait.ts'
import { ANA, ask, HASH, SIGNED, type Site, sharedHttp, startHttp, talk } from './stand-in.ts'

const PATH = '/v1/sdk/events'
const sees = (look: () => boolean) => until('what the stream should do', look)
const [EVENTS, TIMERS] = ownTopics(ANA.userId) as [string, string]
const INCIDENT = 'e0000000-0000-7000-8000-00000000000e'

const event = (type: string, snapshotVersion?: number, incidentId = INCIDENT) =>
  JSON.stringify({
    type,
    incidentId,
    status: 'active',
    updatedAt: '2026-05-01T14:08:12.000Z',
    ...(snapshotVersion !== undefined && { snapshotVersion }),
  })

/** A reader with `fetch`, as an app has it. */
async function reads(t: TestContext, { url }: Pick<Site, 'url'>, headers: Record<string, string> = {}) {
  const ending = new AbortController()
  t.after(() => ending.abort())
  const response = await fetch(`${url}${PATH}`, { headers: { ...SIGNED, ...headers }, signal: ending.signal })
  let text = ''
  let hasEnded = false
  const ended = (async () => {
    for await (const piece of response.body!) text += Buffer.from(piece).toString('latin1')
  })()
    .catch(() => {})
    .then(() => {
      hasEnded = true
    })
  return {
    response,
    ended,
    hasEnded: () => hasEnded,
    text: () => text,
    length: () => text.length,
    /** Type and version of each event so far. */
    told: () =>
      [...text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, type, data]) => {
        const { snapshotVersion, ...told } = JSON.parse(data!)
        assert.equal(told.type, type)
        return [type, snapshotVersion].filter((part) => part !== undefined).join(' ')
      }),
  }
}

/** A site whose state is `state`, read when the test says so. */
async function site(t: TestContext, options: ConstructorParameters<typeof UserStreams>[0] = {}) {
  const streams = new UserStreams({ checkMs: 10, ...options })
  const held = { state: null as string | null, gate: Promise.resolve(), admitted: true, fails: false }
  const http = await startHttp(t, {
    streams,
    readState: async () => {
      await held.gate
      if (held.fails) throw new StoreError('down', 'unreachable')
      return held.state
    },
    isReadmitted: async () => held.admitted,
  })
  return { ...http, streams, held }
}

const REQUEST = (method = 'GET', version = '1.1') =>
  [
    `${method} ${PATH} HTTP/${version}`,
    'host: x',
    `x-app-id: ${ANA.appId}`,
    'x-user-id: ana',
    `authorization: Bearer ${HASH}`,
    '\r\n',
  ].join('\r\n')

/** A raw connection that has sent these bytes. */
function wired(t: TestContext, port: number, bytes: string): { socket: Socket; text: () => string } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  let text = ''
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(bytes)
  return { socket, text: () => text }
}

suite('GET /v1/sdk/events', () => {
  test('begins with the state, then tells the five events and reminders, each by its type', async (t) => {
    const { streams, held, ...http } = await site(t)
    held.state = event('sos.actuator_update', 4)
    const app = await reads(t, http)
    assert.equal(app.response.status, 200)
    assert.equal(app.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(app.response.headers.get('cache-control'), 'no-store')
    streams.publish([EVENTS], event('acknowledged').replace('"active"', '"acknowledged"'))
    streams.publish([EVENTS, 'sos/events/ana'], event('sos.actuator_update', 5))
    streams.publish([TIMERS], JSON.stringify({ type: 'timer.reminder', timerId: 'x' }))
    streams.publish([ownTopics('b0000000-0000-7000-8000-00000000000b')[0]!], event('processed', 1))
    await sees(() => app.told().length >= 4)
    assert.deepEqual(app.told(), ['sos.actuator_update 4', 'acknowledged', 'sos.actuator_update 5', 'timer.reminder'])
    assert.doesNotMatch(app.text(), /^id:/m)
  })

  test('without a state it begins at once, with a comment', async (t) => {
    const http = await site(t)
    const app = await reads(t, http)
    await sees(() => app.text() !== '')
    assert.equal(app.text(), ':\n\n')
  })

  test('nothing older follows anything newer, and nothing comes twice', async (t) => {
    const { streams, held, ...http } = await site(t)
    held.state = event('sos.actuator_update', 4)
    const opening = Promise.withResolvers<void>()
    held.gate = opening.promise
    const asked = reads(t, http)
    await sees(() => streams.size === 1)
    // These wait for the state: one that it has, one that is newer.
    for (const version of [3, 4, 5]) streams.publish([EVENTS], event('sos.actuator_update', version))
    opening.resolve()
    const app = await asked
    for (const version of [4, 5, 6, 2, 6]) streams.publish([EVENTS], event('sos.actuator_update', version))
    streams.publish([EVENTS], event('processed', 1, 'another'))
    await sees(() => app.told().includes('processed 1'))
    assert.deepEqual(app.told(), [4, 5, 6].map((version) => `sos.actuator_update ${version}`).concat('processed 1'))
  })

  test('a press right after the opening is told from processed on, without a state before it', async (t) => {
    const { streams, held, ...http } = await site(t)
    held.state = event('sos.actuator_update', 2)
    const opening = Promise.withResolvers<void>()
    held.gate = opening.promise
    const asked = reads(t, http)
    await sees(() => streams.size === 1)
    streams.publish([EVENTS], event('processed', 1))
    opening.resolve()
    const app = await asked
    streams.publish([EVENTS], event('sos.actuator_update', 2))
    await sees(() => app.told().length === 2)
    assert.deepEqual(app.told(), ['processed 1', 'sos.actuator_update 2'])
  })

  test('the fourth stream of a user ends the first, and no other user’s', async (t) => {
    const { streams, ...http } = await site(t)
    const apps = []
    for (let n = 0; n < 4; n += 1) apps.push(await reads(t, http))
    await apps[0]!.ended
    assert.deepEqual(
      apps.map((app) => app.hasEnded()),
      [true, false, false, false],
    )
    assert.equal(streams.size, 3)
  })

  test('a session that is no longer admitted ends, and begins none', async (t) => {
    const { streams, held, ...http } = await site(t)
    const app = await reads(t, http)
    assert.equal(
      streams.closeWhere(({ secretId }) => secretId === 7),
      0,
    )
    assert.equal(
      streams.closeWhere(({ userId }) => userId === ANA.userId),
      1,
    )
    await app.ended
    // It was admitted, and ended before it was among the streams.
    held.admitted = false
    const late = await ask(http, 'GET', PATH, { headers: SIGNED })
    assert.deepEqual([late.status, late.json.error.code], [401, 'E_SDK_EVENTS_UNAUTHORIZED'])
    assert.equal(streams.size, 0)
  })

  test('a browser reads it from the origins of its application, and from no other', async (t) => {
    const corsOrigins = {
      isKnown: async () => true,
      isOf: async (_: string, origin: string) => origin === 'https://a.test',
    }
    const http = await startHttp(t, { corsOrigins })
    const app = await reads(t, http, { origin: 'https://a.test' })
    assert.equal(app.response.headers.get('access-control-allow-origin'), 'https://a.test')
    const other = await reads(t, http, { origin: 'https://b.test' })
    assert.equal(other.response.headers.get('access-control-allow-origin'), null)
  })

  test('wrong credentials, and a token in the address, open nothing', async (t) => {
    const { streams, ...http } = await site(t)
    for (const [path, headers] of [
      [PATH, { ...SIGNED, authorization: 'Bearer 00' }],
      [`${PATH}?access_token=${HASH}&app_id=${ANA.appId}&user_id=ana`, {}],
    ] as const) {
      const { status } = await ask(http, 'GET', path, { headers })
      assert.equal(status, 401)
    }
    assert.equal(streams.size, 0)
  })

  test('a store that cannot be read, a node cut off and a stop are a 503 with Retry-After', async (t) => {
    const { streams, held, ...http } = await site(t)
    const fails = async () => {
      const { status, headers, json } = await ask(http, 'GET', PATH, { headers: SIGNED })
      assert.deepEqual([status, json.error.code], [503, 'E_SDK_EVENTS_UNAVAILABLE'])
      assert.ok(Number(headers.get('retry-after')) > 0)
      assert.equal(streams.size, 0)
    }
    held.fails = true
    await fails()
    held.fails = false
    const app = await reads(t, http)
    streams.suspend(true)
    await app.ended
    await fails()
    streams.suspend(false)
    const again = await reads(t, http)
    streams.close()
    await again.ended
    await fails()
  })

  test('a node whose database falls silent while it is opened answers 503, and begins no stream later', async (t) => {
    const streams = new UserStreams()
    const state = Promise.withResolvers<string | null>()
    const http = await startHttp(t, { streams, readState: () => state.promise, databaseSilentMs: () => 60_000 })
    const { status } = await ask(http, 'GET', PATH, { headers: SIGNED })
    assert.equal(status, 503)
    assert.equal(streams.size, 1)
    state.resolve(null)
    await sees(() => streams.size === 0)
    assert.deepEqual(
      http.lines.map(({ message }) => message),
      ['a request failed in the store'],
    )
  })

  test('a stop does not wait for streams', async (t) => {
    const http = await site(t)
    const app = await reads(t, http)
    const began = performance.now()
    await http.close()
    await app.ended
    // Clients that do not go by themselves have 3 s.
    assert.ok(performance.now() - began < 2_900)
  })

  test('a reader that takes nothing is dropped, and nobody else waits', async (t) => {
    const { streams, ...http } = await site(t, { maxUnreadBytes: 500_000 })
    const { socket } = wired(t, http.port, REQUEST())
    await sees(() => streams.size === 1)
    socket.pause()
    const app = await reads(t, http)
    const note = 'x'.repeat(1_000_000)
    // The buffers of the system take some megabytes first.
    for (let n = 1; streams.size === 2; n += 1) {
      assert.ok(n < 50)
      streams.publish([EVENTS], JSON.stringify({ ...JSON.parse(event('sos.actuator_update', n)), note }))
      await sees(() => app.length() > n * note.length)
    }
    assert.ok(!app.hasEnded())
  })

  test('a reader without progress while little waits is dropped as well', async (t) => {
    const { streams, ...http } = await site(t, { stallMs: 50, maxUnreadBytes: Number.MAX_SAFE_INTEGER })
    const { socket } = wired(t, http.port, REQUEST())
    await sees(() => streams.size === 1)
    socket.pause()
    streams.publish([EVENTS], JSON.stringify({ ...JSON.parse(event('processed', 1)), note: 'x'.repeat(20_000_000) }))
    await sees(() => streams.size === 0)
  })

  test('a client that has gone, by a reset or a FIN, is no longer a stream', async (t) => {
    const { streams, ...http } = await site(t)
    for (const goes of ['resetAndDestroy', 'end'] as const) {
      const { socket, text } = wired(t, http.port, REQUEST())
      await sees(() => text().includes(':\n'))
      socket[goes]()
      await sees(() => streams.size === 0)
    }
  })

  test('a request behind it on the same connection ends it, and is served', async (t) => {
    const { streams, calls, ...http } = await site(t)
    const { socket, text } = wired(t, http.port, REQUEST())
    await sees(() => text().includes(':\n'))
    const body = '{"timestamp":"2026-05-01T14:08:12Z"}'
    socket.write(
      REQUEST('POST')
        .replace(PATH, '/v1/sdk/sos')
        .replace('\r\n\r\n', `\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    )
    await sees(() => text().includes('201 Created'))
    assert.equal(streams.size, 0)
    assert.equal(calls.filter(({ use }) => use === 'raiseSos').length, 1)
  })

  test('HTTP/1.0 gets it without chunks; HEAD and POST are refused, and open nothing', async (t) => {
    const { streams, held, ...http } = await site(t)
    held.state = event('sos.actuator_update', 4)
    const { text } = wired(t, http.port, REQUEST('GET', '1.0'))
    await sees(() => text().includes('data: '))
    assert.doesNotMatch(text(), /transfer-encoding/i)
    assert.match(text(), /\r\n\r\n:\n\nevent: sos\.actuator_update\ndata: /)
    streams.close()
    for (const method of ['HEAD', 'POST', 'PUT']) {
      const { status, headers } = await ask(http, method, PATH, { headers: SIGNED })
      assert.deepEqual([status, headers.get('allow')], [405, 'GET'], method)
    }
  })

  test('a stream that ended before it began is refused', async (t) => {
    const { streams, held, ...http } = await site(t)
    const opening = Promise.withResolvers<void>()
    held.gate = opening.promise
    const asked = Array.from({ length: 5 }, () => reads(t, http))
    await sees(() => http.calls.filter(({ use }) => use === 'identify').length === 5 && streams.size === 3)
    opening.resolve()
    const statuses = (await Promise.all(asked)).map(({ response }) => response.status)
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 503, 503])
  })

  test('a comment comes every so often', async (t) => {
    const http = await site(t, { beatAfterMs: 30 })
    const app = await reads(t, http)
    await sees(() => app.text().startsWith(':\n\n:\n\n:\n\n'))
  })

  test('an alarm takes the place of the oldest stream', async (t) => {
    const streams = new UserStreams({ maxPerUser: 10 })
    const http = await startHttp(t, { streams, maxConnections: 8 })
    const talks = Array.from({ length: 4 }, () => wired(t, http.port, REQUEST()))
    await sees(() => streams.size === 4)
    const body = '{"timestamp":"2026-05-01T14:08:12Z"}'
    const sos = REQUEST('POST')
      .replace(PATH, '/v1/sdk/sos')
      .replace('\r\n\r\n', `\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    assert.match(await talk(t, http.port, sos), /^HTTP\/1\.1 201/)
    await sees(() => streams.size === 3)
    assert.equal(talks.filter(({ socket }) => socket.readableEnded || socket.destroyed).length, 1)
  })

  const shared = sharedHttp()

  test('a user who opens them all the time is asked to wait', async () => {
    const http = shared()
    let refused: Awaited<ReturnType<typeof ask>> | null = null
    for (let n = 0; n <= STREAMS_PER_USER && refused === null; n += 1) {
      const { socket, opened } = await new Promise<{ socket: Socket; opened: boolean }>((resolve) => {
        const connection = connect(http.port, '127.0.0.1')
        connection.write(REQUEST())
        connection.once('data', (piece) => resolve({ socket: connection, opened: piece.toString().includes(' 200 ') }))
      })
      socket.destroy()
      await once(socket, 'close')
      if (!opened) refused = await ask(http, 'GET', PATH, { headers: SIGNED })
    }
    assert.equal(refused?.status, 429)
    assert.equal(refused?.json.error.code, 'E_SDK_EVENTS_RATE_LIMITED')
    assert.ok(Number(refused?.headers.get('retry-after')) > 0)
  })
})
