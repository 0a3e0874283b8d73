import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { listen } from '../../../../src/adapters/inbound/door/listen.ts'
import { READ_AHEAD_BYTES } from '../../../../src/adapters/inbound/door/over-socket.ts'
import { Certificate } from '../../../../src/adapters/inbound/door/secure.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'
import { until } from '../../../harness/wait.ts'
import { newAuthority, ownPair } from '../../platform/tls/stand-in.ts'

/** The most that Node reads of a socket in one go. */
const CHUNK_BYTES = 64 * 1024

/** A connection whose reader pauses at each piece: the client's end and the service's, and what was taken there. */
async function pausing(t: TestContext, isSecure: boolean) {
  const ends: { raw: Socket; socket: Socket }[] = []
  const certificate = isSecure ? new Certificate(await ownPair(await newAuthority())) : null
  let taken = 0
  const { port, close } = await listen(
    { host: '127.0.0.1', port: 0 },
    {
      loop: new LoopTurns(),
      ...(certificate && { tls: { certificate, handshakeMs: 60_000 } }),
      meet: (raw) => (socket) => {
        ends.push({ raw, socket })
        socket.on('data', (bytes: Buffer) => {
          taken += bytes.length
          socket.pause()
        })
      },
    },
  )
  const at = { port, host: '127.0.0.1' }
  const client = isSecure ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at)
  client.on('error', () => {})
  await once(client, isSecure ? 'secureConnect' : 'connect')
  await until('the connection', () => ends.length === 1)
  t.after(async () => {
    client.destroy()
    ends[0]!.raw.destroy()
    await close()
  })
  return { client, ...ends[0]!, taken: () => taken }
}

suite('a paused connection', () => {
  for (const isSecure of [false, true]) {
    test(`keeps little, and reads no more than it has${isSecure ? ', over TLS' : ''}`, async (t) => {
      const { client, raw, socket, taken } = await pausing(t, isSecure)
      client.write(Buffer.alloc(4_000_000))
      await until('the first piece', () => taken() > 0)
      await new Promise((resolve) => setTimeout(resolve, 300))
      const before = taken()
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.equal(taken(), before)
      assert.ok(taken() <= CHUNK_BYTES)
      assert.ok(raw.readableLength <= CHUNK_BYTES + READ_AHEAD_BYTES, `${raw.readableLength}`)
      assert.equal(raw.readableHighWaterMark, READ_AHEAD_BYTES)
      // The control: it goes on.
      socket.resume()
      await until('more', () => taken() > before)
    })
  }

  test('decrypts no more than a small piece, however small the records are', async (t) => {
    const { client, socket, taken } = await pausing(t, true)
    for (let n = 0; n < 5000; n += 1) client.write('a')
    await until('the first record', () => taken() > 0)
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.ok(taken() + socket.readableLength < 100, `${taken()} and ${socket.readableLength}`)
    socket.on('data', () => socket.resume()).resume()
    await until('all of them', () => taken() === 5000)
  })
})
