import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { acmeDomains, LETS_ENCRYPT } from '../../src/config/acme.ts'
import type { Environment } from '../../src/config/environment.ts'
import { trackingLinkConcern } from '../../src/config/public-address.ts'
import { configOf, problemText } from '../../src/config.ts'

const site = { publicUrl: 'https://SOS.example.org:8443', http: { acmePort: 80 } }

const problemsOf = (tree: Record<string, unknown>, env: Environment = {}): readonly string[] => {
  const configured = configOf(tree, env, '/')
  return 'problems' in configured ? configured.problems.map(problemText) : []
}

suite('acme', () => {
  test('is off by default; on, it is for the host of publicUrl', () => {
    const off = configOf({}, {}, '/')
    assert.ok('config' in off)
    const { acme } = off.config
    assert.deepEqual(
      { ...acme },
      { enabled: false, directory: LETS_ENCRYPT, email: null, domains: null, dnsHook: null },
    )
    const on = configOf({ ...site, acme: { enabled: 'on' } }, {}, '/')
    assert.ok('config' in on)
    assert.deepEqual(acmeDomains(on.config), ['sos.example.org'])
  })

  test('takes its names from a list, or from a variable', () => {
    const env = { TOCSIN_ACME_ENABLED: 'on', TOCSIN_ACME_DOMAINS: 'SOS.example.org, mqtt.example.org' }
    const configured = configOf({ http: { acmePort: 8081 } }, env, '/')
    assert.ok('config' in configured)
    assert.deepEqual(acmeDomains(configured.config), ['sos.example.org', 'mqtt.example.org'])
  })

  for (const [title, tree, message] of [
    [
      'behind a proxy that ends TLS',
      { ...site, http: { acmePort: 80, trustProxy: '10.0.0.1' } },
      /^acme\.enabled: must be off with http\.trustProxy: the proxy in front ends TLS/,
    ],
    [
      'without an https listener',
      { ...site, https: { port: 'off' } },
      /^acme\.enabled: must be off with https\.port off/,
    ],
    [
      'with a certificate of one’s own',
      { ...site, tls: { cert: '/a', key: '/b' } },
      /^acme\.enabled: must be off with tls\.cert/,
    ],
    [
      'with links that use no certificate',
      { ...site, publicUrl: 'http://sos.example.org' },
      /^publicUrl: must begin with https/,
    ],
    ['without a name', { http: { acmePort: 80 } }, /^publicUrl: is required with acme\.enabled, or acme\.domains/],
    [
      'with an address in place of a name',
      { ...site, publicUrl: 'https://192.0.2.1' },
      /^acme\.domains: is required with acme\.enabled: publicUrl has the address 192\.0\.2\.1/,
    ],
    ['with an IPv6 address', { ...site, publicUrl: 'https://[2001:db8::1]' }, /publicUrl has the address/],
    [
      'without a way to prove the name',
      { publicUrl: 'https://sos.example.org' },
      /^http\.acmePort: is required with acme\.enabled/,
    ],
  ] as const) {
    test(`cannot be switched on ${title}`, () => {
      const problems = problemsOf({ ...tree, acme: { enabled: true } })
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0]!, message)
      assert.deepEqual(problemsOf({ ...tree, acme: { enabled: false } }), [])
    })
  }

  test('passes behind a load balancer that leaves TLS alone, and with a hook alone', () => {
    const http = { acmePort: 80, proxyProtocol: '10.0.0.10' }
    assert.deepEqual(problemsOf({ ...site, http, acme: { enabled: true } }), [])
    const { publicUrl } = site
    assert.deepEqual(problemsOf({ publicUrl, acme: { enabled: true, dnsHook: '/etc/tocsin/dns-hook' } }), [])
  })

  for (const [value, message] of [
    [{ directory: 'http://ca.example.org/directory' }, /^acme\.directory: must be an https address/],
    [{ directory: 'http://127.0.0.1.example.org/directory' }, /^acme\.directory: must be an https address/],
    [{ email: 'nobody' }, /^acme\.email: must be an e-mail address/],
    [{ domains: ['https://sos.example.org'] }, /^acme\.domains\[0\]: must be a host name/],
    [{ domains: ['192.0.2.1'] }, /^acme\.domains\[0\]: must be a host name/],
    [{ domains: ['sos.*.org'] }, /^acme\.domains\[0\]: must be a host name/],
    [{ domains: [] }, /^acme\.domains: must be a list of host names/],
    [{ dnsHook: 'hook --zone x' }, /^acme\.dnsHook: must be an absolute path/],
    [{ enabled: true, domains: '*.example.org' }, /^acme\.dnsHook: is required for \*\.example\.org/],
  ] as const) {
    test(`does not take ${JSON.stringify(value)}`, () => {
      assert.match(problemsOf({ ...site, acme: value }).join('\n'), message)
    })
  }

  test('is a certificate that phones trust', () => {
    const tree = { ...site, notifications: { providers: ['http'] }, gateway: { url: 'https://gateway.example.org' } }
    const [without, on] = [tree, { ...tree, acme: { enabled: true } }].map((one) => configOf(one, {}, '/'))
    assert.ok('config' in without! && 'config' in on!)
    assert.match(trackingLinkConcern(without.config)!, /switch acme on/)
    assert.equal(trackingLinkConcern(on.config), null)
  })
})
