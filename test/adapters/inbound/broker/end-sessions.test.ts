import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endSessions } from '../../../../src/app/connections/end-sessions.ts'
import type { Session } from '../../../../src/core/account/session.ts'
import { ANA, quiet, silentLog, startBroker, until } from './harness.ts'

test('a CONNECT that was admitted just before a disable does not stay', async (t) => {
  let disabled = false
  const looking: (() => void)[] = []
  // The store is asked before the disable is committed and answers after it.
  const identify = async (): Promise<Session | null> => {
    const found = disabled ? null : ANA
    await new Promise<void>((resolve) => looking.push(resolve))
    return found
  }
  const { broker, client } = await startBroker(t, { identify })
  const connected = client({ protocolVersion: 5 }).then(
    (phone) => until(() => !phone.connected, 'the connection ended'),
    () => {},
  )
  await until(() => looking.length === 1, 'the CONNECT was looked at')
  disabled = true
  const ending = endSessions({
    store: { readmission: async () => null },
    live: broker,
    log: silentLog,
  })
  t.after(() => ending.close())
  ending.end(ANA.appId)
  await quiet()
  looking[0]!()
  await connected
  assert.equal(broker.connections(), 0)
})

test('a CONNECT that cannot be decided does not keep the other sessions alive for ever', async (t) => {
  const { broker, client } = await startBroker(t, {
    identify: async (_username, password) => {
      if (password === 'right') return ANA
      throw new Error('the store is away')
    },
  })
  await client()
  const lost = client({ password: 'other', clientId: 'other' }).catch(() => {})
  const ending = endSessions({ store: { readmission: async () => null }, live: broker, log: silentLog })
  t.after(() => ending.close())
  ending.end(ANA.appId)
  await until(() => broker.connections() === 0, 'the other session ended')
  await lost
})
