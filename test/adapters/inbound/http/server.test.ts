import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { createApp } from '../../../../src/adapters/inbound/http/app.ts'
import { createListener } from '../../../../src/adapters/inbound/http/listener/listener.ts'
import { createHttpServer } from '../../../../src/adapters/inbound/http/server.ts'
import { ask, SIGNED, standIn, talk } from './stand-in.ts'

suite('the server', () => {
  test('hands WebSocket handshakes for /mqtt, and nothing else, to its upgrade listener', async (t) => {
    const http = await createHttpServer(standIn().parts)
    t.after(() => http.close())
    const paths: (string | undefined)[] = []
    http.server.on('upgrade', (request, socket) => {
      paths.push(request.url)
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    })
    const port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: WebSocket\r\n\r\n'
    assert.match(await talk(t, port, `GET /mqtt?x=1 HTTP/1.1\r\n${upgrade}`), /^HTTP\/1\.1 101 /)
    assert.match(await talk(t, port, `GET /healthz HTTP/1.1\r\n${upgrade}`), /^HTTP\/1\.1 200 /)
    assert.match(await talk(t, port, `GET /mqttx HTTP/1.1\r\n${upgrade}`), /^HTTP\/1\.1 404 /)
    assert.deepEqual(paths, ['/mqtt?x=1'])
  })

  test('refuses a port that is taken', async (t) => {
    const [first, second] = [await createHttpServer(standIn().parts), await createHttpServer(standIn().parts)]
    t.after(() => Promise.all([first.close(), second.close()]))
    const port = Number(new URL(await first.listen({ host: '127.0.0.1', port: 0 })).port)
    await assert.rejects(second.listen({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' })
  })

  test('answers requests in progress when it closes, and keeps no connection open', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { parts, calls } = standIn()
    const entered = new Promise<void>((resolve) => {
      parts.ownIncident.end = async () => {
        resolve()
        await held
        return { incident: null }
      }
    })
    // So long that a lingering connection would be noticed.
    const http = await createHttpServer({ ...parts, times: { closeMs: 600_000 } })
    const url = await http.listen({ host: '127.0.0.1', port: 0 })
    const idle = connect(Number(new URL(url).port), '127.0.0.1')
    idle.write('GET /healthz HTTP/1.1\r\n\r\n')
    await once(idle, 'data')
    const answer = ask({ url }, 'POST', '/v1/sdk/sos/cancel', { headers: SIGNED })
    await entered
    const [closing, idleEnded] = [http.close(), once(idle.resume(), 'close')]
    release()
    assert.equal((await answer).status, 200)
    await Promise.all([closing, idleEnded])
    assert.equal(calls.at(-1)?.use, 'identify')
    await assert.rejects(ask({ url }, 'GET', '/healthz'))
  })

  test('does not wait forever for requests in progress', async () => {
    const { parts } = standIn()
    const entered = new Promise<void>((resolve) => {
      parts.ownIncident.end = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    const http = await createHttpServer({ ...parts, times: { closeMs: 20 } })
    const url = await http.listen({ host: '127.0.0.1', port: 0 })
    const lost = assert.rejects(ask({ url }, 'POST', '/v1/sdk/sos/cancel', { headers: SIGNED }))
    await entered
    await Promise.all([http.close(), lost])
  })

  test('does not wait forever for an open WebSocket', async (t) => {
    const http = await createHttpServer({ ...standIn().parts, times: { closeMs: 20 } })
    const upgraded = once(http.server, 'upgrade')
    const port = Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port)
    const talked = talk(t, port, 'GET /mqtt HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await upgraded
    await Promise.all([http.close(), talked])
  })

  test('the same app serves a second listener', async (t) => {
    const app = await createApp(standIn().parts)
    const listeners = [createListener(app.routing), createListener(app.routing)]
    t.after(async () => {
      await Promise.all(listeners.map((listener) => listener.close()))
      await app.close()
    })
    for (const listener of listeners) {
      const url = await listener.listen({ host: '127.0.0.1', port: 0 })
      assert.equal((await ask({ url }, 'GET', '/v1/sdk/me', { headers: SIGNED })).status, 200)
    }
  })
})
