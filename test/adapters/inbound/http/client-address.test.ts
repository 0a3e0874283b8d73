import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { clientAddress } from '../../../../src/adapters/inbound/http/client-address.ts'

for (const { trust, from, forwarded, client } of [
  { trust: false, from: '127.0.0.1', forwarded: '198.51.100.7', client: '127.0.0.1' },
  { trust: true, from: '203.0.113.1', forwarded: '198.51.100.7, 10.0.0.1', client: '198.51.100.7' },
  { trust: true, from: '203.0.113.1', forwarded: undefined, client: '203.0.113.1' },
  { trust: ['loopback'], from: '127.0.0.1', forwarded: '198.51.100.7', client: '198.51.100.7' },
  { trust: ['loopback'], from: '::1', forwarded: '2001:db8::7', client: '2001:db8::7' },
  { trust: ['loopback'], from: '::ffff:127.0.0.1', forwarded: '198.51.100.7', client: '198.51.100.7' },
  { trust: ['loopback'], from: '203.0.113.1', forwarded: '198.51.100.7', client: '203.0.113.1' },
  // Addresses that the client wrote itself precede those that the proxies added.
  { trust: ['loopback'], from: '127.0.0.1', forwarded: '192.0.2.66, 198.51.100.7', client: '198.51.100.7' },
  {
    trust: ['10.0.0.0/8', '127.0.0.1'],
    from: '127.0.0.1',
    forwarded: '192.0.2.66, 198.51.100.7,10.1.2.3',
    client: '198.51.100.7',
  },
  { trust: ['uniquelocal'], from: '10.0.0.1', forwarded: 'nonsense', client: '10.0.0.1' },
  { trust: ['linklocal'], from: 'fe80::1', forwarded: '198.51.100.7', client: '198.51.100.7' },
] as const) {
  test(`trust ${trust}, from ${from}, forwarded ${forwarded} → ${client}`, () => {
    const request = { socket: { remoteAddress: from }, headers: { 'x-forwarded-for': forwarded } }
    assert.equal(clientAddress(trust)(request as unknown as IncomingMessage), client)
  })
}

test('empty items and items that are no addresses are passed over', () => {
  const request = { socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': ',198.51.100.7, ,x,' } }
  assert.equal(clientAddress(['loopback'])(request as unknown as IncomingMessage), '198.51.100.7')
})

test('nobody’s list is read unless a proxy sent it', () => {
  const headers = {
    get 'x-forwarded-for'(): string {
      throw new Error('read')
    },
  }
  const request = { socket: { remoteAddress: '203.0.113.1' }, headers }
  assert.equal(clientAddress(['loopback'])(request as unknown as IncomingMessage), '203.0.113.1')
})
