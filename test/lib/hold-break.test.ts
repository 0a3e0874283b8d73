import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { holdBreak } from '../../src/lib/hold-break.ts'

const reset = (): Error => Object.assign(new Error('read ECONNRESET'), { syscall: 'read' })

function held(t: TestContext, isWanted = () => true) {
  const socket = new Socket()
  t.after(() => socket.destroy())
  const errors: string[] = []
  socket.on('error', ({ message }) => errors.push(message))
  return { socket, errors, hold: holdBreak(socket, isWanted) }
}

test('a break is held back until it is released, and then told as it was', async (t) => {
  const { socket, errors, hold } = held(t)
  socket.destroy(reset())
  socket.destroy(reset())
  assert.deepEqual([socket.destroyed, hold.isHeld()], [false, true])
  let written = false
  socket.write('answer', () => {
    written = true
  })
  await new Promise(setImmediate)
  assert.equal(written, true, 'what is written goes nowhere, and does not fail')
  hold.release()
  assert.equal(socket.destroyed, true)
  await new Promise((resolve) => socket.once('close', resolve))
  assert.deepEqual(errors, ['read ECONNRESET'])
})

const atOnce: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['a socket destroyed by us', (socket) => socket.destroy()],
  ['an error that is not of the network', (socket) => socket.destroy(new Error('bad record'))],
  [
    'a client that has not taken an earlier answer',
    (socket) => {
      socket.cork()
      socket.write('earlier')
      socket.destroy(reset())
    },
  ],
]
for (const [what, ends] of atOnce) {
  test(`nothing is held for ${what}`, (t) => {
    const { socket, hold } = held(t)
    ends(socket)
    assert.deepEqual([socket.destroyed, hold.isHeld()], [true, false])
  })
}

test('nothing is held where nothing waits', (t) => {
  const { socket } = held(t, () => false)
  socket.destroy(reset())
  assert.equal(socket.destroyed, true)
})

test('a broken connection whose place is needed ends at once', (t) => {
  const { socket } = held(t)
  socket.destroy(reset())
  socket.destroy()
  assert.equal(socket.destroyed, true)
})

test('a broken connection is held for 30 s at most', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { socket } = held(t)
  socket.destroy(reset())
  t.mock.timers.tick(29_999)
  assert.equal(socket.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(socket.destroyed, true)
})

test('once the connection is something else’s, its breaks are its own', (t) => {
  const { socket, hold } = held(t)
  hold.release()
  assert.equal(socket.destroyed, false)
  socket.destroy(reset())
  assert.equal(socket.destroyed, true)
})
