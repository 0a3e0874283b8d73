import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { configOf } from '../../src/config.ts'
import { consoleAddress, openingHints } from '../../src/service/console-address.ts'

const machine = { hostname: 'hut', addresses: ['fe80::1', '10.0.0.7', '192.0.2.7'] }
const local = { source: 'local', fingerprint: 'AA:BB', names: ['hut', 'localhost', '10.0.0.7'] }
const own = { source: 'operator', fingerprint: 'CC:DD', names: ['*.example.org', 'localhost', 'sos.example.org'] }
const both = { https: 'https://0.0.0.0:8443', http: 'http://127.0.0.1:8080' }

function addressOf(
  given: object,
  listeners: { https?: string; http?: string },
  certificate: typeof local | null = local,
  seenBy = machine,
) {
  const configured = configOf({ ...given })
  assert.ok('config' in configured, JSON.stringify(configured))
  return consoleAddress(configured.config, { listeners, certificate, machine: seenBy })
}

suite('where an operator opens the console', () => {
  test('is the https listener, by an address of its certificate, with the fingerprint and a tunnel', () => {
    assert.deepEqual(addressOf({}, both), {
      base: 'https://10.0.0.7:8443',
      isLocal: false,
      fingerprint: 'AA:BB',
      tunnel: { command: 'ssh -L 8443:127.0.0.1:8443 10.0.0.7', base: 'https://localhost:8443' },
    })
  })

  const url = 'https://sos.example.org'
  for (const [what, address, base, fingerprint, command] of [
    ['a certificate of its own has the name', addressOf({}, both, own), `${url}:8443`, null, /8443 10\.0\.0\.7$/],
    [
      'the usual port',
      addressOf({}, { https: 'https://[::]:443' }),
      'https://10.0.0.7',
      'AA:BB',
      /^ssh -L 8443:127\.0\.0\.1:443 /,
    ],
    [
      'a listener on one address',
      addressOf({}, { https: 'https://192.0.2.7:8443' }),
      'https://192.0.2.7:8443',
      'AA:BB',
      /^ssh -L 8443:192\.0\.2\.7:8443 192\.0\.2\.7$/,
    ],
    ['publicUrl', addressOf({ publicUrl: url }, both), url, 'AA:BB', /^ssh -L 8443:/],
    [
      'a proxy in front',
      addressOf({ publicUrl: url, http: { trustProxy: 'loopback' } }, both),
      url,
      null,
      /^ssh -L 8080:127\.0\.0\.1:8080 10/,
    ],
    ['a proxy in front of http', addressOf({ publicUrl: url }, { http: both.http }, null), url, null, /^ssh -L 8080:/],
    [
      'a publicUrl without TLS',
      addressOf({ publicUrl: 'http://10.0.0.7' }, both),
      'https://10.0.0.7:8443',
      'AA:BB',
      /8443/,
    ],
    [
      'a publicUrl of this machine',
      addressOf({ publicUrl: 'https://localhost:8443' }, both),
      'https://10.0.0.7:8443',
      'AA:BB',
      /8443/,
    ],
  ] as const) {
    test(`${what}: ${base}`, () => {
      assert.deepEqual([address?.base, address?.isLocal, address?.fingerprint], [base, false, fingerprint])
      assert.match(address?.tunnel?.command ?? '', command)
    })
  }

  test('is this machine where only loopback listens, or where a sign-in over the network has no TLS', () => {
    for (const [listeners, base, command] of [
      [{ http: 'http://127.0.0.1:8080' }, 'http://localhost:8080', 'ssh -L 8080:127.0.0.1:8080 10.0.0.7'],
      [{ http: 'http://10.0.0.7:8080' }, 'http://localhost:8080', 'ssh -L 8080:10.0.0.7:8080 10.0.0.7'],
      [{ http: 'http://0.0.0.0:80' }, 'http://localhost', 'ssh -L 8080:127.0.0.1:80 10.0.0.7'],
      [{ https: 'https://127.0.0.1:8443' }, 'https://localhost:8443', 'ssh -L 8443:127.0.0.1:8443 10.0.0.7'],
      [{ https: 'https://[::1]:8443' }, 'https://localhost:8443', 'ssh -L 8443:[::1]:8443 10.0.0.7'],
    ] as const) {
      const address = addressOf({}, listeners)
      assert.deepEqual([address?.base, address?.isLocal, address?.tunnel?.command], [base, true, command])
    }
    const offline = addressOf({}, both, local, { hostname: 'hut', addresses: [] })
    assert.deepEqual(
      [offline?.base, offline?.tunnel?.command],
      ['https://localhost:8443', 'ssh -L 8443:127.0.0.1:8443 hut'],
    )
  })

  test('is nowhere without a listener, and has no tunnel to one that wants a PROXY header', () => {
    assert.equal(addressOf({}, {}), null)
    assert.equal(addressOf({ publicUrl: url }, {})?.base, url)
    assert.equal(addressOf({ http: { proxyProtocol: '10.0.0.1' } }, both)?.tunnel, null)
  })

  test('is told in sentences, with what to compare and what to do where it is out of reach', () => {
    assert.deepEqual(openingHints(addressOf({}, both)!, 'setup', 'secret'), [
      'If the browser warns of the certificate, its SHA-256 fingerprint has to be AA:BB',
      'If your machine does not reach it, first run: ssh -L 8443:127.0.0.1:8443 10.0.0.7',
      'Then open https://localhost:8443/console/#setup=secret',
    ])
    assert.deepEqual(openingHints(addressOf({}, { http: both.http }, null)!, 'invitation', 'secret'), [
      'Only this machine reaches it. From another one, first run: ssh -L 8080:127.0.0.1:8080 10.0.0.7',
      'Then open http://localhost:8080/console/#invitation=secret',
    ])
  })
})
