import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { passInTurns } from '../../../../src/adapters/inbound/broker/admission/pass-in-turns.ts'
import { quiet } from './harness.ts'

/** A socket whose reader notes what it gets, and turns that the test gives. */
function started() {
  const socket = new PassThrough({ autoDestroy: false }) as unknown as Socket
  const got: Buffer[] = []
  const pieces: (() => void)[] = []
  const now = { isPaused: false, mayPass: true, hasEnded: false, hasClosed: false }
  socket.on('data', (bytes) => got.push(bytes))
  socket.on('end', () => {
    now.hasEnded = true
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    now.hasClosed = true
  })
  passInTurns(socket, {
    start: (piece) => void pieces.push(piece),
    isPaused: () => now.isPaused,
    mayPass: () => now.mayPass,
    rewrite: (piece) => piece,
  })
  return {
    socket,
    now,
    got,
    pieces,
    async turn() {
      await quiet()
      pieces.shift()?.()
      await quiet()
    },
  }
}

const numbered = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, n) => n % 251))

test('bytes come in pieces of 4 KiB, one a turn, whole and in order, and the end after them', async () => {
  const { socket, got, pieces, now, turn } = started()
  const bytes = numbered(10_000)
  socket.end(bytes)
  await quiet()
  assert.equal(got.length, 0)
  for (const count of [1, 2, 3]) {
    assert.equal(now.hasEnded, false)
    assert.equal(pieces.length, 1)
    await turn()
    assert.equal(got.length, count)
    assert.ok(got.at(-1)!.length <= 4096)
  }
  await turn()
  assert.deepEqual(Buffer.concat(got), bytes)
  assert.equal(now.hasEnded, true)
})

test('little is read ahead, and a reader that has paused gets nothing until it resumes', async () => {
  const { socket, got, now, turn } = started()
  socket.write(numbered(20_000))
  await quiet()
  assert.equal(socket.isPaused(), true)
  await turn()
  assert.equal(got.length, 1)
  now.isPaused = true
  socket.pause()
  await turn()
  assert.equal(got.length, 1)
  assert.equal(socket.isPaused(), true)
  now.isPaused = false
  socket.resume()
  for (let n = 0; n < 10; n += 1) await turn()
  assert.deepEqual(Buffer.concat(got), numbered(20_000))
  assert.equal(socket.isPaused(), false)
})

test('nothing is passed that may not be, and nothing once the connection is broken', async () => {
  const refused = started()
  refused.now.mayPass = false
  refused.socket.write(numbered(20_000))
  for (let n = 0; n < 10; n += 1) await refused.turn()
  const broken = started()
  broken.socket.write(numbered(20_000))
  await broken.turn()
  broken.socket.destroy()
  for (let n = 0; n < 10; n += 1) await broken.turn()
  assert.deepEqual([refused.got.length, broken.got.length], [0, 1])
  assert.equal(refused.socket.isPaused(), false)
})

test('what came before a reset is passed on before the reader hears of it, if it still reads', async () => {
  const bytes = numbered(10_000)
  const reset = started()
  reset.socket.write(bytes)
  await quiet()
  reset.socket.destroy(new Error('ECONNRESET'))
  for (let n = 0; n < 3; n += 1) {
    assert.equal(reset.now.hasClosed, false)
    await reset.turn()
  }
  assert.deepEqual(Buffer.concat(reset.got), bytes)
  assert.equal(reset.now.hasClosed, true)
  const paused = started()
  paused.socket.write(bytes)
  await paused.turn()
  paused.now.isPaused = true
  paused.socket.destroy(new Error('ECONNRESET'))
  await quiet()
  assert.deepEqual([paused.got.length, paused.now.hasClosed], [1, true])
})
