import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Admissions } from '../../../src/adapters/broker/admit.ts'
import { ANA, connectPacket, quiet, silentLog, silentMeter, startGate, until } from './harness.ts'

test('Aedes meets a client that takes over another only after it has struck that one off its books', async (t) => {
  const admissions = new Admissions({ identify: async () => ANA, log: silentLog, meter: silentMeter })
  const first = startGate(t, { version: 5, admit: (connect) => admissions.admit(connect, first.gate, 'a') })
  await first.opened()
  const second = startGate(t, { version: 5, admit: (connect) => admissions.admit(connect, second.gate, 'b') })
  second.client.write(connectPacket(5))
  await first.over()
  await quiet()
  assert.deepEqual(second.passed, [])
  admissions.forgotten(first.gate)
  await until(() => second.received.length === 1, 'the second was admitted')
  assert.deepEqual(first.receivedCmds(), ['connack', 'disconnect'])
  assert.equal(admissions.connections.size, 1)
})
