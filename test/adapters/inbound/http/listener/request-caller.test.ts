import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { callerBy } from '../../../../../src/adapters/inbound/http/listener/request-caller.ts'

const caller = (address: string, headers: IncomingHttpHeaders, method = 'POST', url = '/v1/sdk/sos') =>
  callerBy(() => address)({ method, url, headers, socket: {} as Socket })

test('a request takes the turn of its address, and there of its credentials', () => {
  const ana = { authorization: 'Bearer a1' }
  assert.deepEqual(caller('192.0.2.1', ana), caller('::ffff:192.0.2.1', ana))
  assert.deepEqual(caller('2001:db8::1', ana), caller('2001:db8::2', ana), 'one network is one address')
  assert.notEqual(caller('192.0.2.1', ana).group, caller('192.0.2.2', ana).group)
  const ben = caller('192.0.2.1', { authorization: 'Bearer b2' })
  assert.equal(ben.group, caller('192.0.2.1', ana).group)
  assert.notEqual(ben.member, caller('192.0.2.1', ana).member)
  assert.notEqual(caller('192.0.2.1', { cookie: 'a=1' }).member, caller('192.0.2.1', {}).member)
  assert.ok(caller('192.0.2.1', { authorization: 'x'.repeat(16_000) }).member.length < 200, 'bounded')
})

test('without credentials, links take turns', () => {
  const link = (token: string) => caller('192.0.2.1', {}, 'POST', `/t/${token}/ack`).member
  assert.notEqual(link('Zm9vYmFyYmF6cXV4MTIzNA'), link('YmFyYmF6cXV4MTIzNGZvbw'))
})

for (const [method, url] of [
  ['POST', '/v1/sdk/sos'],
  ['POST', '/v1/sdk/sos?again'],
  ['POST', '/v1/sdk/sos/cancel'],
  ['POST', '/v1/sdk/sos/resolve'],
  ['POST', '/t/Zm9vYmFyYmF6cXV4MTIzNA/ack?coming=10'],
  ['POST', '/t/Zm9vYmFyYmF6cXV4MTIzNA/decline'],
  ['POST', '/v1/operator/incidents/0198a2c4/take'],
  ['POST', '/twilio/0198a2c4.3/status'],
  ['POST', '/twilio/0198a2c4.3/call'],
  ['POST', '/v1/lorawan/hut?event=up'],
  ['POST', '/v1/sdk/mqtt/auth/acl'],
  ['POST', '/v1/trackers/osmand'],
  ['POST', '/v1/trackers/osmand/token'],
  ['GET', '/v1/trackers/osmand?id=token&alarm=sos'],
  ['POST', '/v1/trackers/osmand/token?alarm=sos&lat=47'],
] as const) {
  test(`${method} ${url} is about an alarm`, () => {
    assert.equal(caller('192.0.2.1', {}, method, url).kind, 'alarm')
  })
}

for (const [method, url] of [
  ['GET', '/v1/sdk/sos'],
  ['POST', '/v1/sdk/sosa'],
  ['POST', '/v1/sdk/telemetry'],
  ['GET', '/t/Zm9vYmFyYmF6cXV4MTIzNA'],
  ['POST', '/v1/operator/session'],
  ['GET', '/v1/trackers/osmand?id=token&lat=47'],
  ['POST', '/v1/trackers/osmand?id=token&lat=47'],
  ['POST', '/v1/trackers/owntracks'],
  ['POST', '/nowhere?alarm=sos'],
] as const) {
  test(`${method} ${url} is not`, () => assert.equal(caller('192.0.2.1', {}, method, url).kind, 'other'))
}
