import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Certificate } from '../../src/adapters/inbound/door/secure.ts'
import { createHttpServer } from '../../src/adapters/inbound/http/server.ts'
import { balancersOf } from '../../src/service/listeners.ts'
import { silentLog, startBroker } from '../adapters/inbound/broker/harness.ts'
import { startHttp } from '../adapters/inbound/http/stand-in.ts'
import { newAuthority, ownPair } from '../adapters/platform/tls/stand-in.ts'
import { type Environment, runCommand } from '../harness/command-line.ts'
import { listen } from '../harness/listener.ts'

const OFF: Environment = {
  TOCSIN_CONFIG: '',
  TOCSIN_HTTP_PORT: 'off',
  TOCSIN_HTTPS_PORT: 'off',
  TOCSIN_MQTT_PORT: 'off',
  TOCSIN_MQTTS_PORT: 'off',
}
const portOf = (url: string): string => new URL(url).port

/** `tocsin health` where only these listeners are on. */
const health = (on: Environment, ...args: readonly string[]) => runCommand({ ...OFF, ...on }, ['health', ...args])

suite('tocsin health', () => {
  test('says what /readyz of this machine says, with its reasons', async (t) => {
    const reasons: string[] = []
    const concerns = () => ['the clock is off\u001b[2J']
    const { port } = await startHttp(t, { readiness: async () => reasons, concerns })
    const on = { TOCSIN_HTTP_PORT: `${port}` }
    const ready = await health(on)
    assert.deepEqual([ready.code, ready.stdout, ready.stderr], [0, 'ready\nthe clock is off�[2J\n', ''])
    const { json } = await health(on, '--json')
    assert.deepEqual([json.status, json.schema], ['ready', 1])

    reasons.push('the store cannot be written: the disk is full')
    const full = await health(on)
    assert.equal(full.code, 1)
    assert.match(
      full.stderr,
      /^error: the service is not ready\nerror: the store cannot be written: the disk is full\n/,
    )
  })

  test('asks over TLS, and as a load balancer where this machine is one', async (t) => {
    const balancers = balancersOf(['loopback'], silentLog)
    const { parts, port } = await startHttp(t, { balancers })
    const on = { TOCSIN_HTTP_PROXY_PROTOCOL: 'loopback' }
    assert.equal((await health({ ...on, TOCSIN_HTTP_PORT: `${port}` })).code, 0)
    const server = await createHttpServer({ ...parts, balancers })
    t.after(() => server.close())
    const certificate = new Certificate(await ownPair(await newAuthority()))
    const url = await server.listen({ host: '127.0.0.1', port: 0 }, certificate)
    const secure = { TOCSIN_HTTPS_HOST: '0.0.0.0', TOCSIN_HTTPS_PORT: portOf(url) }
    assert.equal((await health({ ...on, ...secure })).code, 0)
    // Control: without the header the listener closes the connection.
    assert.match((await health(secure)).stderr, /^error: nothing answers at https:\/\/0\.0\.0\.0:/)
  })

  test('asks the broker where HTTP is off', async (t) => {
    const { url } = await startBroker(t)
    assert.match((await health({ TOCSIN_MQTT_PORT: portOf(url) })).stdout, /^ready: the broker answers/)
  })

  test('says in a sentence why it cannot tell', async (t) => {
    const stranger = await listen(t)
    stranger.answers(200)
    for (const [on, sentence] of [
      [{}, /^error: every listener is off: there is nothing to ask\n$/],
      [{ TOCSIN_HTTP_PORT: '0' }, /^error: http\.port is 0, so only the log of the service names its port\n$/],
      [
        { TOCSIN_HTTP_PORT: '1' },
        /^error: nothing answers at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\): is the service/,
      ],
      [{ TOCSIN_HTTP_PORT: portOf(stranger.url) }, /^error: what answers at .* \(status 200\) is not Tocsin\n$/],
      [{ TOCSIN_HTTP_PORT: 'x' }, /^error: the configuration has a mistake/],
    ] as const) {
      const { code, stderr } = await health(on)
      assert.equal(code, 1)
      assert.match(stderr, sentence)
    }
  })
})
