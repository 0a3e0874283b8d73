import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { suite, test } from 'node:test'
import { issueServer } from '../../../../src/adapters/platform/tls/issue.ts'
import {
  certificateNames,
  type Machine,
  namesMissing,
  namesOf,
  thisMachine,
} from '../../../../src/adapters/platform/tls/names.ts'
import { NOW, newAuthority } from './stand-in.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '::1']

suite('the names of a machine', () => {
  const cases: readonly [string, Machine, readonly string[], readonly string[]][] = [
    ['a short name', { hostname: 'Hut', addresses: [] }, [], ['hut', 'hut.local', ...LOOPBACK]],
    [
      'a full name',
      { hostname: 'hut.alps.example.', addresses: [] },
      [],
      ['hut.alps.example', 'hut', 'hut.local', ...LOOPBACK],
    ],
    [
      'addresses',
      { hostname: 'hut', addresses: ['10.0.0.7', 'fd00:0:0:0:0:0:0:7'] },
      [],
      ['hut', 'hut.local', ...LOOPBACK, '10.0.0.7', 'fd00::7'],
    ],
    [
      'link-local addresses',
      { hostname: 'hut', addresses: ['fe80::1', 'FEBF::1', 'fec0::1'] },
      [],
      ['hut', 'hut.local', ...LOOPBACK, 'fec0::1'],
    ],
    [
      'the host of publicUrl first',
      { hostname: 'hut', addresses: [] },
      ['SOS.example.org', '[2001:db8::0:1]', '203.0.113.9'],
      ['sos.example.org', '2001:db8::1', '203.0.113.9', 'hut', 'hut.local', ...LOOPBACK],
    ],
    [
      'nothing twice',
      { hostname: 'localhost', addresses: ['127.0.0.1'] },
      ['::1'],
      ['::1', 'localhost', 'localhost.local', '127.0.0.1'],
    ],
    [
      'invalid names',
      { hostname: `bad name`, addresses: [] },
      ['', 'a..b', '-a', `${'x'.repeat(64)}.org`, 'münchen'],
      LOOPBACK,
    ],
  ]
  for (const [title, machine, more, names] of cases) {
    test(title, () => assert.deepEqual(certificateNames(machine, more), names))
  }

  test('this machine has a name, and no loopback or missing address among its own', () => {
    const { hostname, addresses } = thisMachine()
    assert.notEqual(hostname, '')
    assert.equal(addresses.includes('127.0.0.1'), false)
  })
})

test('a certificate lists its names, and the ones that it lacks are found', async () => {
  const names = ['hut.local', 'hut_1', '10.0.0.7', 'fd00::7']
  const { cert } = await issueServer(await newAuthority(), names, NOW)
  const certificate = new X509Certificate(cert)
  assert.deepEqual(namesOf(certificate), names)
  assert.deepEqual(namesMissing(certificate, names), [])
  const others = ['other', '10.0.0.8', 'fd00::8', 'Tocsin server']
  assert.deepEqual(namesMissing(certificate, [...names, ...others]), others)
})

test('names are read as Node quotes them', () => {
  const subjectAltName = 'DNS:a.example, DNS:"b, DNS:c.example", IP Address:0:0:0:0:0:0:0:1, URI:http://d'
  assert.deepEqual(namesOf({ subjectAltName } as X509Certificate), [
    'a.example',
    '"b, DNS:c.example"',
    '::1',
    'URI:http://d',
  ])
})
