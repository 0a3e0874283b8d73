import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModemState } from '../../../../src/adapters/outbound/modem/modem-state.ts'

const after = (change: (state: ModemState) => unknown, now = 0) => {
  const state = new ModemState()
  change(state)
  return state.level(now)
}
const MINUTE = 60_000

// preparing.md#readiness.
test('a modem that would not send is down, and one that sends late is slow', () => {
  const report = (signal: number | null, isRunning = true) =>
    after((state) => Object.assign(state, { report: { isRunning, signal } }))
  assert.equal(
    after(() => {}),
    'ok',
  )
  assert.equal(report(null), 'ok', 'nobody knows of the signal')
  assert.deepEqual([report(80), report(10), report(0), report(80, false)], ['ok', 'slow', 'down', 'down'])
  assert.equal(
    after((state) => Object.assign(state, { queued: 5 })),
    'ok',
  )
  assert.equal(
    after((state) => Object.assign(state, { queued: 6 })),
    'slow',
  )
  assert.equal(
    after((state) => Object.assign(state, { spoolFault: 'spool missing' })),
    'down',
  )
  assert.equal(
    after((state) => state.failed('modem error')),
    'slow',
  )
  assert.equal(
    after((state) => state.hung('modem timeout', 0)),
    'down',
  )
  assert.equal(
    after((state) => state.hung('modem timeout', 0), MINUTE),
    'slow',
    'it may be tried again',
  )
  const healed = (state: ModemState) => {
    state.hung('modem timeout', 0)
    state.sent()
  }
  assert.equal(after(healed), 'ok')
})
