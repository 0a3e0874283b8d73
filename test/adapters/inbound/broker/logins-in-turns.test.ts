import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { connectPacket, startBroker, stopClock, until } from './harness.ts'

/** A broker in which a login costs a millisecond. Sends CONNECTs, and notes in which order they are looked at. */
async function loggingIn(t: TestContext) {
  const clock = stopClock(t)
  const order: string[] = []
  const { broker } = await startBroker(t, {
    identify: async (username) => {
      clock.passes(1)
      order.push(username)
      // Nobody gets in, and it is nobody's fault.
      throw new Error('busy')
    },
  })
  return {
    order,
    asks(address: string, username: string): void {
      const [client, stream] = duplexPair({ allowHalfOpen: false })
      t.after(() => client.destroy())
      client.on('error', () => {}).resume()
      broker.handleStream(stream, { address, way: 'tcp' })
      client.write(connectPacket(4, { username }))
    },
  }
}

test('logins that come at the same moment take two milliseconds of a turn of the event loop', async (t) => {
  const { order, asks } = await loggingIn(t)
  let before = 0
  let most = 0
  const count = (): void => {
    most = Math.max(most, order.length - before)
    before = order.length
    if (order.length < 200) setImmediate(count)
  }
  setImmediate(count)
  for (let n = 0; n < 200; n += 1) asks('10.0.0.1', 'sdk:app:crowd')
  await until(() => before === 200, 'all of them')
  assert.ok(most < 10, `${most} in one turn`)
})

test('a login waits for no crowd, neither at another address nor under another name at the same one', async (t) => {
  const { order, asks } = await loggingIn(t)
  for (let n = 0; n < 200; n += 1) asks('10.0.0.1', 'sdk:app:crowd')
  asks('10.0.0.1', 'sdk:app:ana')
  asks('10.9.9.9', 'sdk:app:ben')
  await until(() => order.length === 202, 'all of them')
  for (const name of ['sdk:app:ana', 'sdk:app:ben']) {
    assert.ok(order.indexOf(name) < 20, `${name} after ${order.indexOf(name)}`)
  }
})
