import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { suite, test } from 'node:test'
import { LOCAL_HEADER, PREFIX_BYTES, type ProxiedClient, readProxyPrefix } from '../../src/lib/proxy-header.ts'
import { groupsOf, headerOf, proxyHeader } from '../harness/balancer.ts'
import fc from '../harness/fast-check.ts'

/** What a whole header says. */
function read(bytes: Buffer): ProxiedClient | { refused: string } {
  const prefix = readProxyPrefix(bytes.subarray(0, PREFIX_BYTES))
  if ('refused' in prefix) return prefix
  return prefix.client(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + prefix.restBytes))
}

const MALFORMED = { refused: 'its PROXY header is malformed' }
const NO_HEADER = { refused: 'it does not begin with a PROXY header' }
const TOO_LONG = { refused: 'its PROXY header is longer than 552 bytes' }

suite('a PROXY header', () => {
  const unix = Buffer.alloc(216)
  for (const [what, bytes, expected] of [
    ['IPv4', headerOf('203.0.113.7', 50_000), { address: '203.0.113.7', port: 50_000 }],
    ['IPv6', headerOf('2001:db8::7', 443), { address: '2001:db8::7', port: 443 }],
    ['IPv4 as IPv6', headerOf('::ffff:203.0.113.7', 1), { address: '::ffff:203.0.113.7', port: 1 }],
    ['extensions', headerOf('203.0.113.7', 9, Buffer.alloc(524, 4)), { address: '203.0.113.7', port: 9 }],
    ['LOCAL', LOCAL_HEADER, null],
    ['LOCAL with an address', proxyHeader({ command: 0, rest: Buffer.alloc(12, 1) }), null],
    ['LOCAL of a family that nobody knows', proxyHeader({ command: 0, family: 0xff, rest: unix }), null],
    ['an unspecified family', proxyHeader({ family: 0, rest: Buffer.alloc(0) }), null],
    ['UNIX', proxyHeader({ family: 0x31, rest: unix }), null],
    ['UNIX, too short', proxyHeader({ family: 0x31, rest: unix.subarray(1) }), MALFORMED],
    ['IPv4, too short', proxyHeader({ rest: Buffer.alloc(11) }), MALFORMED],
    ['IPv6, too short', proxyHeader({ family: 0x21, rest: Buffer.alloc(35) }), MALFORMED],
    ['datagrams', proxyHeader({ family: 0x12, rest: Buffer.alloc(12) }), MALFORMED],
    ['a family that nobody knows', proxyHeader({ family: 0x41, rest: Buffer.alloc(36) }), MALFORMED],
    ['a command that nobody knows', proxyHeader({ command: 2, rest: Buffer.alloc(12) }), MALFORMED],
    ['version 3', proxyHeader({ command: 0x11, rest: Buffer.alloc(12) }), MALFORMED],
    ['too many extensions', headerOf('203.0.113.7', 9, Buffer.alloc(525)), TOO_LONG],
    ['LOCAL that never ends', proxyHeader({ command: 0, rest: Buffer.alloc(0), length: 0xffff }), TOO_LONG],
    [
      'version 1',
      Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 50000 1883\r\n'),
      { refused: 'its PROXY header is of version 1, not 2' },
    ],
    ['a CONNECT', Buffer.from('101800044d51545404c2003c000570686f6e65', 'hex'), NO_HEADER],
    ['nothing', Buffer.alloc(0), NO_HEADER],
  ] as const) {
    test(what, () => assert.deepEqual(read(bytes), expected))
  }

  test('gives every client as it was written', () => {
    const client = fc.record({
      address: fc.oneof(fc.ipV4(), fc.ipV6()),
      port: fc.integer({ min: 0, max: 65_535 }),
      extensions: fc.uint8Array({ maxLength: 500 }),
    })
    fc.assert(
      fc.property(client, ({ address, port, extensions }) => {
        const client = read(headerOf(address, port, Buffer.from(extensions)))
        assert.ok(client !== null && 'address' in client, `nobody for ${address}`)
        assert.equal(client.port, port)
        if (isIPv6(address)) assert.deepEqual(groupsOf(client.address), groupsOf(address))
        else assert.equal(client.address, address)
      }),
    )
  })

  test('takes no garbage and no truncated header for one, and never asks for much', () => {
    const header = headerOf('203.0.113.7', 50_000)
    const truncated = fc.integer({ min: 0, max: PREFIX_BYTES - 1 }).map((length) => header.subarray(0, length))
    const changed = fc
      .tuple(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 1, max: 255 }))
      .map(([at, by]) => Buffer.from(header.map((byte, n) => (n === at ? byte ^ by : byte))))
    const garbage = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(truncated, changed, garbage), (bytes) => {
        assert.ok('refused' in readProxyPrefix(bytes.subarray(0, PREFIX_BYTES)))
      }),
    )
    const fields = fc.uint8Array({ minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fields, (bytes) => {
        const prefix = readProxyPrefix(Buffer.concat([header.subarray(0, 12), bytes]))
        if ('refused' in prefix) return
        assert.ok(prefix.restBytes <= 536)
        // Whatever it holds can be read.
        prefix.client(Buffer.alloc(prefix.restBytes, 0xa5))
      }),
    )
  })
})
