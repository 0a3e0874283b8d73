import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createServer } from 'node:tls'
import { balancersOf } from '../../src/service/balancers.ts'
import { brokerAnswers } from '../../src/service/broker-answers.ts'
import { connectPacket, silentLog, startBroker } from '../adapters/inbound/broker/harness.ts'
import { newAuthority, noted, ownPair } from '../adapters/platform/tls/stand-in.ts'
import { until } from '../harness/wait.ts'

suite('the knock at the own broker', () => {
  for (const proxyProtocol of [null, ['10.0.0.10'], ['loopback']]) {
    test(`is answered with the balancers ${proxyProtocol}, with and without TLS`, async (t) => {
      const { broker, url } = await startBroker(t, { balancers: balancersOf(proxyProtocol, silentLog) })
      await brokerAnswers({ mqtt: url }, proxyProtocol)
      const server = createServer(await ownPair(await newAuthority()))
      const secure = await broker.listenWith(server, { host: '127.0.0.1', port: 0 })
      await brokerAnswers({ mqtts: secure.url }, proxyProtocol)
    })
  }

  test('differs from a balancer that writes no header, which the log names', async (t) => {
    const { lines, log } = noted()
    const { raw } = await startBroker(t, { balancers: balancersOf(['127.0.0.0/8'], log) })
    const { socket, closed } = raw(4)
    socket.write(connectPacket(4))
    await until('it is closed', closed)
    assert.deepEqual(lines, [
      {
        level: 'warn',
        fields: { balancer: '127.0.0.1', reason: 'it does not begin with a PROXY header' },
        message: 'refused a connection of a load balancer',
      },
    ])
  })
})
