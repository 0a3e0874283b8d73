import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Admissions, type Claims } from '../../../../src/adapters/inbound/broker/admission/admit.ts'
import { PendingConnections } from '../../../../src/adapters/inbound/broker/admission/pending-connections.ts'
import { TakeOvers } from '../../../../src/adapters/inbound/broker/admission/take-overs.ts'
import {
  ANA,
  alertsOf,
  connectPacket,
  publishPacket,
  quiet,
  silentLog,
  silentMeter,
  startGate,
  stopClock,
  until,
} from './harness.ts'

test('Aedes sees a client that takes over another only after it has forgotten the other one', async (t) => {
  const admissions = new Admissions({
    identify: async () => ANA,
    log: silentLog,
    meter: silentMeter,
    maxPerUser: 100,
    claims: null,
  })
  const pendingConnections = new PendingConnections(10)
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
      since: 0,
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
  const pendingConnections = new PendingConnections(10)
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

const TAKE_OVERS = { atOnce: 4, perSecond: 0.2, maxKept: 2 }

/** Phones of one user that log in one after the other under the same client id; each lives until it is ended. */
function phonesUnderOneId(t: TestContext, claims: Claims | null = null) {
  const admissions = new Admissions({
    identify: async () => ANA,
    log: silentLog,
    meter: silentMeter,
    maxPerUser: 1000,
    claims,
    takeOvers: new TakeOvers(TAKE_OVERS),
  })
  const connects = async () => {
    const phone = startGate(t, {
      version: 5,
      admit: async (connect) => {
        // Aedes has none of those that were ended.
        const admission = admissions.admit(connect, phone.gate, PENDING)
        phone.gate.once('close', () => admissions.forgotten(phone.gate))
        return admission
      },
    })
    return phone.opened()
  }
  return { admissions, connects }
}

const PENDING = { since: 0, hasAsked: () => true, asks: () => 0, becomesKnown() {}, leaves() {}, fails() {} }

test('two phones under one client id do not end each other for ever: an SOS gets through', async (t) => {
  const { passes } = stopClock(t)
  const { admissions, connects } = phonesUnderOneId(t)
  let phone = await connects()
  for (let n = 0; n < TAKE_OVERS.atOnce; n++) {
    const before = phone
    phone = await connects()
    await before.over()
  }
  // The thief's phone comes back at once, again and again; the one in need stays.
  for (let n = 0; n < 3; n++) await connects()
  phone.client.write(publishPacket(5, 7, { topic: alertsOf(ANA) }))
  await until(() => phone.taken.length === 1, 'the SOS was read')
  assert.equal(admissions.connections.size, 4)

  // After a while a newer connection takes the place of an older one again, as that of a phone that lost its network.
  passes(1000 / TAKE_OVERS.perSecond)
  await connects()
  await phone.over()
  assert.equal(admissions.connections.size, 4)
})

test('nor do they from two nodes', async (t) => {
  stopClock(t)
  const losers: (() => void)[] = []
  const claim = (_scopedId: string, _since: number, lose: () => void) => {
    losers.push(lose)
    return () => {}
  }
  const { admissions, connects } = phonesUnderOneId(t, { claim })
  for (let n = 0; n < TAKE_OVERS.atOnce; n++) {
    const phone = await connects()
    losers.at(-1)?.()
    await phone.over()
  }
  const phone = await connects()
  losers.at(-1)?.()
  await quiet()
  assert.equal(phone.gate.destroyed, false)
  assert.equal(admissions.connections.size, 1)
})

test('how often a client id was taken over is known of a bounded number of ids, and the newest of them', () => {
  const takeOvers = new TakeOvers(TAKE_OVERS)
  const taken = (id: string) => Array.from({ length: 5 }, () => takeOvers.allows(id, 0)).filter(Boolean).length
  assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(taken), [4, 4, 0, 4, 4, 4])
})

test('a login that cannot be verified is refused as unavailable, and counted apart from a wrong one', async (t) => {
  const counted: object[] = []
  const admissions = new Admissions({
    identify: () => Promise.reject(new Error('the store does not answer')),
    log: silentLog,
    meter: { ...silentMeter, count: (name, labels) => void counted.push({ name, ...labels }) },
    maxPerUser: 100,
    claims: null,
  })
  const pending = new PendingConnections(10).arrives('192.0.2.1', () => {})
  const started = startGate(t, { version: 4, admit: (connect) => admissions.admit(connect, started.gate, pending) })
  started.client.write(connectPacket(4))
  await started.over()
  assert.deepEqual(counted, [{ name: 'mqtt_connects_total', result: 'unavailable' }])
  assert.equal((started.received[0] as { returnCode?: number }).returnCode, 3)
})
