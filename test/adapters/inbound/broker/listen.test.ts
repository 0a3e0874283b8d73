import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Server as TlsServer } from 'node:tls'
import { listenOn } from '../../../../src/adapters/inbound/broker/admission/listen.ts'
import type { PendingConnection } from '../../../../src/adapters/inbound/broker/admission/pending-connections.ts'
import { LoopTurns } from '../../../../src/lib/loop-turns.ts'

/** A socket from always the same port. */
const socket = (): Socket =>
  Object.assign(new PassThrough(), {
    _getpeername: () => ({ address: '192.0.2.1', port: 4321 }),
    localAddress: '192.0.2.2',
    remoteAddress: '192.0.2.1',
    setNoDelay() {},
  }) as unknown as Socket

test('a TLS connection keeps its entry where the former one from its port ends only now', async (t) => {
  const server = new TlsServer()
  // The connections are handed in by the test, with their handshakes.
  server.removeAllListeners('connection')
  const met: PendingConnection[] = []
  const accepted: (PendingConnection | undefined)[] = []
  const listener = await listenOn(
    server,
    { host: '127.0.0.1', port: 0 },
    {
      meet: () => {
        met.push({} as PendingConnection)
        return met.at(-1)!
      },
      accept: (_stream, { pending }) => accepted.push(pending),
      handshakes: { loop: new LoopTurns(), helloMs: 10_000 },
    },
  )
  t.after(() => listener.close())
  const former = socket()
  server.emit('connection', former)
  server.emit('connection', socket())
  former.emit('close')
  server.emit('secureConnection', socket())
  assert.equal(met.length, 2)
  assert.equal(accepted[0], met[1])
})
