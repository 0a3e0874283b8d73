import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBlockedTarget } from '../../../../src/adapters/outbound/http/address-guard.ts'
import { isBlockedAddress } from '../../../../src/adapters/outbound/http/blocked-address.ts'
import fc from '../../../harness/fast-check.ts'

const blocked = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  metadata: ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', '192.0.0.192'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'unique-local': ['fc00::1', 'fdff:ffff::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255'],
  documentation: ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::', '64:ff9b:1::8.8.8.8'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:a00:1::1', '2001::1'],
  'site-local': ['fec0::1'],
  'not an address': ['', 'localhost', '1.2.3', '127.1', '::g', '[::1]'],
}

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:800::200e',
  '2001:4860:4860::8888',
  '64:ff9b::8.8.8.8',
  '64:ff9b::808:808',
]

for (const [kind, addresses] of Object.entries(blocked)) {
  test(`blocked: ${kind}`, () => {
    for (const address of addresses) assert.equal(isBlockedAddress(address), true, address)
  })
}

test('open: addresses just outside those ranges', () => {
  for (const address of open) assert.equal(isBlockedAddress(address), false, address)
})

test('an address with the NAT64 prefix is judged by its IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ipv4) => {
      assert.equal(isBlockedAddress(`64:ff9b::${ipv4}`), isBlockedAddress(ipv4))
    }),
  )
})

const targets = {
  'https://example.org/hook': false,
  'https://8.8.8.8/hook': false,
  'https://[2606:4700:4700::1111]/hook': false,
  'http://127.0.0.1/': true,
  'http://127.1/': true,
  'http://2130706433/': true,
  'http://0x7f000001/': true,
  'http://0x7f.0.0.1/': true,
  'http://017700000001/': true,
  'http://0177.0.0.1/': true,
  'http://127.0.0.1./': true,
  'http://0/': true,
  'http://[::1]/': true,
  'http://[::ffff:127.0.0.1]/': true,
  'http://[::ffff:7f00:1]/': true,
  'http://[64:ff9b::10.0.0.1]/': true,
  'http://192.168.1.1:8080/': true,
  'http://169.254.169.254/latest/meta-data/': true,
  'http://user:password@10.0.0.1/': true,
  'http://１２７.０.０.１/': true,
}

for (const [url, expected] of Object.entries(targets)) {
  test(`a target at ${url} is ${expected ? 'refused' : 'accepted'}`, async () => {
    assert.equal(await isBlockedTarget(url, async () => [{ address: '93.184.215.14', family: 4 }]), expected)
  })
}

test('a name is blocked if any one of its addresses is', async () => {
  const named = (...addresses: string[]) =>
    isBlockedTarget('https://hook.example.org/', async () => addresses.map((address) => ({ address, family: 4 })))
  assert.equal(await named('8.8.8.8'), false)
  assert.equal(await named('8.8.8.8', '10.0.0.1'), true)
  assert.equal(await named('::1'), true)
})

test('localhost is blocked as the system resolves it', async () => {
  assert.equal(await isBlockedTarget('http://localhost:9/'), true)
})

test('a target whose name cannot be resolved now is accepted', async () => {
  const target = isBlockedTarget('https://hook.example.org/', async () => {
    throw Object.assign(new Error('no network'), { code: 'EAI_AGAIN' })
  })
  assert.equal(await target, false)
})
