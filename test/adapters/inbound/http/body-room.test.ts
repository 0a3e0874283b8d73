import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyRoom } from '../../../../src/adapters/inbound/http/bodies/body-room.ts'

const KB = 1024

test('one user gets an eighth of the room, and all of it is bounded', () => {
  const room = new BodyRoom(800 * KB)
  assert.ok(room.take('ana', 60 * KB))
  assert.equal(room.take('ana', 60 * KB), null, 'more than an eighth')
  assert.ok(room.take('ana', 40 * KB))
  for (let n = 0; n < 7; n++) assert.ok(room.take(`user ${n}`, 100 * KB), `user ${n}`)
  assert.equal(room.take('ben', 1), null, 'nothing is left')
})

test('what is given back is free again, and only once', () => {
  const room = new BodyRoom(800 * KB)
  const leave = room.take('ana', 500 * KB)
  assert.ok(leave, 'the first body may be longer than an eighth')
  leave()
  leave()
  assert.ok(room.take('ben', 800 * KB), 'all of it is free')
  assert.equal(room.take('ana', 1), null, 'but no more than that')
})
