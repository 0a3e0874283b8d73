import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestWindows } from '../../src/lib/request-windows.ts'

test('a window begins with the first request of a key and ends a minute later', () => {
  const windows = new RequestWindows(2)
  assert.equal(windows.count('ana', 1_000), null)
  assert.equal(windows.count('ana', 30_000), null)
  assert.equal(windows.count('ana', 31_000), 30)
  assert.equal(windows.count('ana', 60_999.5), 1, 'never 0 seconds')
  assert.equal(windows.count('ana', 61_000), null)
  assert.equal(windows.count('ana', 61_000), null)
  assert.equal(windows.count('ana', 61_000), 60)
})

test('each key has a window of its own', () => {
  const windows = new RequestWindows(1)
  assert.equal(windows.count('ana', 0), null)
  assert.equal(windows.count('ben', 59_000), null)
  assert.equal(windows.count('ana', 59_000), 1)
  assert.equal(windows.count('ben', 60_000), 59)
})

test('of 5,000 keys the one silent longest is forgotten for another', () => {
  const windows = new RequestWindows(1)
  for (let key = 0; key < 5_000; key++) windows.count(String(key), key)
  assert.notEqual(windows.count('0', 5_000), null, 'all are known')
  windows.count('another', 5_001)
  assert.notEqual(windows.count('0', 5_002), null, 'it has just asked')
  assert.equal(windows.count('1', 5_003), null, 'the one silent longest')
})
