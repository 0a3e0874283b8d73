import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Admissions } from '../../../../src/adapters/inbound/broker/admission/admit.ts'
import { PendingConnections } from '../../../../src/adapters/inbound/broker/admission/pending-connections.ts'
import { ANA, connectPacket, quiet, silentLog, silentMeter, startGate, until } from './harness.ts'

test('Aedes sees a client that takes over another only after it has forgotten the other one', async (t) => {
  const admissions = new Admissions({
    identify: async () => ANA,
    log: silentLog,
    meter: silentMeter,
    maxPerUser: 100,
    claims: null,
  })
  const pendingConnections = new PendingConnections({ maxWaiting: 10, maxMs: 10_000 })
  const pending = () => pendingConnections.arrives('192.0.2.1', () => {})
  const first = startGate(t, { version: 5, admit: (connect) => admissions.admit(connect, first.gate, pending()) })
  await first.opened()
  const second = startGate(t, { version: 5, admit: (connect) => admissions.admit(connect, second.gate, pending()) })
  second.client.write(connectPacket(5))
  await first.over()
  await quiet()
  assert.deepEqual(second.passed, [])
  admissions.forgotten(first.gate)
  await until(() => second.received.length === 1, 'the second was admitted')
  assert.deepEqual(first.receivedCmds(), ['connack', 'disconnect'])
  assert.equal(admissions.connections.size, 1)
})

test('an unknown application and a wrong hash are refused and counted the same way', async (t) => {
  const asked: string[] = []
  const admissions = new Admissions({
    identify: async (username) => {
      asked.push(username)
      return null
    },
    log: silentLog,
    meter: silentMeter,
    maxPerUser: 100,
    claims: null,
  })
  const failed: string[] = []
  for (const username of ['sdk:no-such-application:ana', 'sdk:0a000000-0000-7000-8000-00000000000a:ana', 'sdk:::']) {
    const pending = {
      hasAsked: () => true,
      asks: () => 0,
      becomesKnown() {},
      leaves() {},
      fails: () => void failed.push(username),
    }
    const { client, over, gate } = startGate(t, {
      admit: (connect) => admissions.admit(connect, gate, pending),
    })
    client.write(connectPacket(4, { username }))
    await over()
  }
  assert.deepEqual(asked, ['sdk:no-such-application:ana', 'sdk:0a000000-0000-7000-8000-00000000000a:ana'])
  assert.equal(failed.length, 3)
})

test('a client has connected when its CONNECT came, however long its login takes', async (t) => {
  const claimed: number[] = []
  const identifying = Promise.withResolvers<typeof ANA>()
  const asked: number[] = []
  const admissions = new Admissions({
    identify: () => {
      asked.push(performance.now())
      return identifying.promise
    },
    log: silentLog,
    meter: silentMeter,
    maxPerUser: 100,
    claims: {
      claim(_scopedId, since) {
        claimed.push(since)
        return () => {}
      },
    },
  })
  const pendingConnections = new PendingConnections({ maxWaiting: 10, maxMs: 10_000 })
  const { gate, client } = startGate(t, {
    version: 5,
    admit: (connect) =>
      admissions.admit(
        connect,
        gate,
        pendingConnections.arrives('192.0.2.1', () => {}),
      ),
  })
  client.write(connectPacket(5))
  await until(() => asked.length === 1, 'the login is being checked')
  identifying.resolve(ANA)
  await until(() => claimed.length === 1, 'the client was admitted')
  assert.ok(claimed[0]! <= asked[0]!, `${claimed[0]} is not before ${asked[0]}`)
})
