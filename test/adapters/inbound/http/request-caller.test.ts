import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { callerBy } from '../../../../src/adapters/inbound/http/request-caller.ts'

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

test('alarms and the closing of alarms do not wait for other requests of their address', () => {
  const alarm = caller('192.0.2.1', {}).group
  assert.equal(caller('192.0.2.1', {}, 'POST', '/v1/sdk/sos/cancel').group, alarm)
  for (const [method, url] of [
    ['GET', '/v1/sdk/sos'],
    ['POST', '/v1/sdk/telemetry'],
    ['POST', '/nowhere'],
  ] as const) {
    assert.notEqual(caller('192.0.2.1', {}, method, url).group, alarm)
  }
})
