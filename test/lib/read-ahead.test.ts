import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { READ_AHEAD_BYTES, watchPaused } from '../../src/lib/read-ahead.ts'
import { until } from '../harness/wait.ts'

suite('a paused socket', () => {
  test('keeps little in pieces, and reads no more than it has', async (t) => {
    const server = createServer({ highWaterMark: READ_AHEAD_BYTES }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const client = connect((server.address() as { port: number }).port, '127.0.0.1').on('error', () => {})
    t.after(() => client.destroy())
    const [socket] = (await once(server, 'connection')) as [Socket]
    t.after(() => socket.destroy())
    let taken = 0
    socket.on('data', (bytes) => {
      taken += bytes.length
      socket.pause()
      watchPaused(socket)
    })
    client.write(Buffer.alloc(4_000_000))
    await until('the first piece, and what came with it', () => taken > 64 * 1024)
    const before = taken
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal(taken, before)
    assert.ok(taken <= 128 * 1024 && socket.readableLength <= READ_AHEAD_BYTES + 1)
    assert.equal(socket.readableHighWaterMark, READ_AHEAD_BYTES)
    // The control: it goes on.
    socket.resume()
    await until('more', () => taken > before)
  })
})
