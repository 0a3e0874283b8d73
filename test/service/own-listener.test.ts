import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Certificate } from '../../src/adapters/inbound/door/secure.ts'
import { Places } from '../../src/lib/places.ts'
import { canaryPress } from '../../src/service/canary.ts'
import { balancersOf } from '../../src/service/listeners.ts'
import { brokerAnswers, isOwnConnection } from '../../src/service/own-listener.ts'
import { ANA, alertsOf, connectPacket, silentLog, startBroker } from '../adapters/inbound/broker/harness.ts'
import { newAuthority, noted, ownPair } from '../adapters/platform/tls/stand-in.ts'
import { until } from '../harness/wait.ts'

suite('the knock at the own broker', () => {
  for (const proxyProtocol of [null, ['10.0.0.10'], ['loopback']]) {
    test(`is answered with the balancers ${proxyProtocol}, with and without TLS`, async (t) => {
      const { broker, url } = await startBroker(t, { balancers: balancersOf(proxyProtocol, silentLog) })
      await brokerAnswers({ mqtt: url }, proxyProtocol)
      const certificate = new Certificate(await ownPair(await newAuthority()))
      const secure = await broker.listen({ host: '127.0.0.1', port: 0 }, certificate)
      await brokerAnswers({ mqtts: secure.url }, proxyProtocol)
    })
  }

  for (const proxyProtocol of [null, ['loopback']]) {
    test(`and the canary's press take no place from users, nor need one, with the balancers ${proxyProtocol}`, async (t) => {
      const places = new Places({ max: 0, maxPerAddress: 0, endsWorking: true })
      const balancers = balancersOf(proxyProtocol, silentLog)
      const { broker, url, taken, raw } = await startBroker(t, { balancers, places, isOwn: isOwnConnection })
      const certificate = new Certificate(await ownPair(await newAuthority()))
      const secure = await broker.listen({ host: '127.0.0.1', port: 0 }, certificate)
      const press = { username: 'sdk:app:ana', password: 'right', topic: alertsOf(ANA), payload: '{}' }
      for (const listeners of [{ mqtt: url }, { mqtts: secure.url }]) {
        await brokerAnswers(listeners, proxyProtocol)
        const pressed = canaryPress(() => listeners, proxyProtocol)
        assert.equal(await pressed(press, new AbortController().signal), null)
      }
      assert.equal(taken.length, 2)
      assert.equal(places.taken, 0)
      const { closed } = raw(4)
      await until('there is no place for anybody else', closed)
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
