import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { startAedes } from '../../../../src/adapters/inbound/broker/delivery/aedes.ts'
import { defaultLimits } from '../../../../src/adapters/inbound/broker/limits.ts'
import { ANA, silentLog } from './harness.ts'

test('what a client in Aedes collects its bytes in is a plain list and no stream', async (t) => {
  const deliveries = await startAedes({
    limits: defaultLimits,
    log: silentLog,
    takeWill: async () => false,
    forgotten() {},
  })
  t.after(() => deliveries.close())
  const [stream] = duplexPair()
  const participant = Object.assign(stream, { session: ANA, withholdsWill: false })
  deliveries.enter(participant)
  t.after(() => participant.destroy())
  // As Aedes 2.0.0-beta.1 and mqtt-packet 9.0.2 name them. With others, connections take more memory again.
  const { client } = participant as unknown as { client: { _parser: { _list: { append: unknown; on?: unknown } } } }
  assert.equal(typeof client._parser._list.append, 'function')
  assert.equal(client._parser._list.on, undefined)
})
