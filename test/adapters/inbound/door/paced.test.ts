import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { type Pace, Paced } from '../../../../src/adapters/inbound/door/paced.ts'
import { quiet } from '../broker/harness.ts'

const CLIENT = { address: '192.0.2.1', port: 4321, since: null, below: null }

/** A connection whose reader notes what it gets, and turns that the test gives. */
function started(pace: Partial<Pace> = {}) {
  const socket = Object.assign(new PassThrough({ autoDestroy: false }), { bytesWritten: 0 }) as unknown as Socket
  socket.on('error', () => {})
  const paced = new Paced(socket, CLIENT)
  const got: Buffer[] = []
  const pieces: (() => void)[] = []
  const now = { hasEnded: false, hasClosed: false }
  paced.on('data', (bytes) => got.push(bytes))
  paced.on('end', () => {
    now.hasEnded = true
  })
  paced.on('close', () => {
    now.hasClosed = true
  })
  paced.follow({
    inTurn: (_unread, pass) => void pieces.push(pass),
    isReady: () => true,
    take: (unread) => unread.take(4096),
    passed() {},
    mayEnd: () => true,
    isOwed: (unread) => unread > 0 && !paced.isPaused(),
    came() {},
    ...pace,
  })
  return {
    socket,
    paced,
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

/** The clock of the turns: each look is a millisecond later, so that every piece has used its time. */
function slowly(t: TestContext): void {
  let now = 0
  t.mock.method(performance, 'now', () => {
    now += 1
    return now
  })
}

const numbered = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, n) => n % 251))

test('bytes come in pieces, one a turn, whole and in order, and the end after them', async (t) => {
  slowly(t)
  const { socket, got, pieces, now, turn } = started()
  const bytes = numbered(10_000)
  // The socket reads what it writes.
  socket.write(bytes)
  await quiet()
  socket.emit('end')
  await quiet()
  assert.equal(got.length, 0)
  for (const count of [1, 2, 3]) {
    assert.equal(now.hasEnded, false)
    assert.equal(pieces.length, 1)
    await turn()
    assert.equal(got.length, count)
  }
  assert.deepEqual(Buffer.concat(got), bytes)
  assert.equal(now.hasEnded, true)
})

test('the end is known before the reader hears of it, which may have to wait', async () => {
  let mayEnd = false
  const { socket, paced, now } = started({ mayEnd: () => mayEnd })
  let isGone = false
  paced.whenGone(() => {
    isGone = true
  })
  assert.equal(await paced.looks(), null)
  socket.emit('end')
  assert.deepEqual([paced.gone, isGone], ['fin', true])
  await quiet()
  assert.equal(now.hasEnded, false)
  mayEnd = true
  paced.pump()
  await quiet()
  assert.equal(now.hasEnded, true)
})

test('a reset is known as soon as it is read, before the socket has closed', async () => {
  const { socket, paced } = started({ isOwed: () => true, isReady: () => false })
  socket.write('help')
  await quiet()
  socket.destroy(new Error('ECONNRESET'))
  assert.equal(paced.gone, 'reset')
})

test('what a broken socket has read is not lost to a turn before it closes', async (t) => {
  slowly(t)
  const { socket, got, pieces, turn } = started()
  socket.write(numbered(16_384))
  await quiet()
  assert.equal(socket.isPaused(), true)
  socket.write('help')
  // A turn may come between the error and 'close'.
  socket.once('error', () => {
    for (let pass = pieces.shift(); pass !== undefined; pass = pieces.shift()) pass()
  })
  socket.destroy(new Error('ECONNRESET'))
  for (let n = 0; n < 10; n += 1) await turn()
  assert.deepEqual(Buffer.concat(got), Buffer.concat([numbered(16_384), Buffer.from('help')]))
})

test('little is read ahead, and a reader that has paused gets nothing until it resumes', async (t) => {
  slowly(t)
  const { socket, paced, got, turn } = started()
  socket.write(numbered(20_000))
  await quiet()
  assert.equal(socket.isPaused(), true)
  await turn()
  assert.equal(got.length, 1)
  paced.pause()
  await turn()
  assert.equal(got.length, 1)
  paced.resume()
  for (let n = 0; n < 10; n += 1) await turn()
  assert.deepEqual(Buffer.concat(got), numbered(20_000))
  assert.equal(socket.isPaused(), false)
})

test('nothing more is passed on, nor kept, of a connection that is ignored or destroyed', async (t) => {
  slowly(t)
  const ignored = started()
  ignored.socket.write(numbered(20_000))
  await ignored.turn()
  ignored.paced.ignore()
  ignored.socket.write(numbered(20_000))
  for (let n = 0; n < 10; n += 1) await ignored.turn()
  const destroyed = started()
  destroyed.socket.write(numbered(20_000))
  await destroyed.turn()
  destroyed.paced.destroy()
  for (let n = 0; n < 10; n += 1) await destroyed.turn()
  assert.deepEqual([ignored.got.length, destroyed.got.length], [1, 1])
  assert.deepEqual([ignored.paced.unread.length, ignored.socket.isPaused()], [0, false])
  assert.equal(destroyed.socket.destroyed, true)
})

test('what came before a reset is passed on before the reader hears of it, if something of it is owed', async (t) => {
  slowly(t)
  const bytes = numbered(10_000)
  const reset = started()
  reset.socket.write(bytes)
  await quiet()
  reset.socket.destroy(new Error('ECONNRESET'))
  await quiet()
  assert.deepEqual([reset.paced.gone, reset.paced.isBroken], ['reset', true])
  // Into the void, at once.
  await new Promise<void>((resolve) => void reset.paced.write('an answer', () => resolve()))
  for (let n = 0; n < 3; n += 1) {
    assert.equal(reset.now.hasClosed, false)
    await reset.turn()
  }
  assert.deepEqual(Buffer.concat(reset.got), bytes)
  assert.equal(reset.now.hasClosed, true)
  const paused = started()
  paused.socket.write(bytes)
  await paused.turn()
  paused.paced.pause()
  paused.socket.destroy(new Error('ECONNRESET'))
  await quiet()
  assert.deepEqual([paused.got.length, paused.now.hasClosed], [1, true])
})

test('what a paused socket had read when it broke is not lost', async (t) => {
  slowly(t)
  const { socket, got, now, turn } = started()
  socket.write(numbered(16_384))
  await quiet()
  assert.equal(socket.isPaused(), true)
  socket.write(Buffer.from('help'))
  socket.destroy(new Error('ECONNRESET'))
  for (let n = 0; n < 10 && !now.hasClosed; n += 1) await turn()
  assert.deepEqual(Buffer.concat(got), Buffer.concat([numbered(16_384), Buffer.from('help')]))
})

test('a broken connection is kept for 30 s at most', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { socket, paced } = started({ isOwed: () => true, isReady: () => false })
  socket.write('help')
  await quiet()
  socket.destroy(new Error('ECONNRESET'))
  await quiet()
  t.mock.timers.tick(29_999)
  assert.equal(paced.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(paced.destroyed, true)
})
