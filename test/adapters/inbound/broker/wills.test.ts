import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_ALERTS_PER_USER, MAX_WAITING_WILLS } from '../../../../src/adapters/inbound/broker/limits.ts'
import { createInbound, type Ingest } from '../../../../src/adapters/inbound/broker/session/inbound.ts'
import { ANA, alertsOf, BEN, silentLog, silentMeter, telemetryOf } from './harness.ts'

/** An ingest that stores nothing before it is told to. */
function slowIngest() {
  const begun: { readonly user: string; readonly stored: () => void }[] = []
  const ingest: Ingest = ({ session }, settled) =>
    void begun.push({ user: session.externalUserId, stored: () => settled('stored') })
  const inbound = createInbound({ ingest, log: silentLog, meter: silentMeter })
  const will = (user: typeof ANA, topic = alertsOf(user)) =>
    inbound.takeWill(user, { topic, payload: Buffer.from('{}') })
  return { inbound, begun, will, countOf: (user: string) => begun.filter((one) => one.user === user).length }
}

test("the wills of one user take that user's turns, and delay nobody else's alarm", async () => {
  const { inbound, begun, will, countOf } = slowIngest()
  const wills = Array.from({ length: MAX_ALERTS_PER_USER + 20 }, () => will(ANA))
  assert.equal(countOf('ana'), MAX_ALERTS_PER_USER)
  inbound.take(BEN, { topic: alertsOf(BEN), payload: Buffer.from('{}') }, () => {})
  assert.equal(countOf('ben'), 1)
  // None of them is lost: each goes on as soon as another one is stored.
  for (let n = 0; n < wills.length; n++) begun.filter((one) => one.user === 'ana')[n]!.stored()
  assert.deepEqual(new Set(await Promise.all(wills)), new Set([true]))
  assert.equal(countOf('ana'), wills.length)
})

test('while nothing can be stored, no user fills the memory with wills; each connection of theirs still has one', async () => {
  const { begun, will } = slowIngest()
  const wills = Array.from({ length: MAX_WAITING_WILLS }, () => will(ANA))
  assert.equal(await will(ANA), false)
  assert.equal(await will(ANA, telemetryOf(ANA)), false)
  assert.equal(await Promise.race([will(BEN), 'waits']), 'waits')
  begun[0]!.stored()
  assert.equal(await wills[0], true)
  assert.equal(await Promise.race([will(ANA), 'waits']), 'waits')
})
