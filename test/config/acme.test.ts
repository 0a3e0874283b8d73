import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { acmeDomains, LETS_ENCRYPT, namesConcern } from '../../src/config/acme.ts'
import type { Environment } from '../../src/config/environment.ts'
import { trackingLinkConcern } from '../../src/config/public-address.ts'
import { problemsOf, withSettings } from '../../src/config/settings.ts'
import { configWarnings } from '../../src/config/warnings.ts'
import { type Config, configOf, problemText } from '../../src/config.ts'

const site = { publicUrl: 'https://SOS.example.org:8443', http: { acmePort: 80 } }

const mistakes = (tree: Record<string, unknown>, env: Environment = {}): readonly string[] => {
  const read = configOf(tree, env, '/')
  return 'problems' in read ? read.problems.map(problemText) : []
}

const configured = (tree: Record<string, unknown>): Config => {
  const read = configOf(tree, {}, '/')
  return 'config' in read ? read.config : assert.fail(read.problems.map(problemText).join())
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
      const problems = mistakes({ ...tree, acme: { enabled: true } })
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0]!, message)
      assert.deepEqual(mistakes({ ...tree, acme: { enabled: false } }), [])
    })
  }

  test('without a name it stops no start, because the console may set one; the operator hears of it', () => {
    const on = { http: { acmePort: 80 }, acme: { enabled: true } }
    const nameless = configured(on)
    assert.deepEqual(problemsOf(nameless, {}), [
      { key: 'publicUrl', message: 'is required with acme.enabled, or acme.domains' },
    ])
    assert.match(configWarnings(nameless).join(), /acme is on, but without publicUrl or acme\.domains there is no name/)
    const { config } = withSettings(nameless, { publicUrl: 'https://sos.example.org' })
    assert.deepEqual([acmeDomains(config), namesConcern(config)], [['sos.example.org'], null])
    assert.deepEqual(problemsOf(nameless, { publicUrl: 'http://sos.example.org' })[0]?.key, 'publicUrl')
  })

  test('a list of names without the public one is told', () => {
    const concern = (domains: string) =>
      namesConcern(configured({ ...site, acme: { enabled: true, domains, dnsHook: '/h' } }))
    assert.match(concern('mqtt.example.org')!, /^acme\.domains lacks sos\.example\.org, the host of publicUrl/)
    assert.equal(concern('mqtt.example.org, sos.example.org'), null)
    assert.equal(concern('*.example.org'), null)
  })

  test('in the console it is left out where the file does not go with it, and costs nothing else', () => {
    const others = { timeZone: 'UTC', 'notifications.providers': ['http'], 'gateway.url': 'https://g.example.org' }
    const values = { ...others, 'acme.enabled': true, 'tls.names': 'hut.local' }
    for (const [tree, why] of [
      [{ ...site, http: { acmePort: 80, trustProxy: true } }, /must be off with http\.trustProxy/],
      [{ ...site, publicUrl: 'http://sos.example.org' }, /must begin with https/],
      [{ ...site, http: {} }, /is required with acme\.enabled/],
      [{ ...site, tls: { cert: '/a', key: '/b' } }, /must be off with tls\.cert/],
    ] as const) {
      const { config, left, lame } = withSettings(configured(tree), values)
      assert.deepEqual([left.map(({ key }) => key), lame], [['acme.enabled'], []], String(why))
      assert.match(left[0]!.message, why)
      assert.deepEqual(
        [config.acme.enabled, config.timeZone, config.notifications.providers, config.tls.names],
        [false, 'UTC', ['http'], ['hut.local']],
      )
    }
  })

  test('passes behind a load balancer that leaves TLS alone, and with a hook alone', () => {
    const http = { acmePort: 80, proxyProtocol: '10.0.0.10' }
    assert.deepEqual(mistakes({ ...site, http, acme: { enabled: true } }), [])
    const { publicUrl } = site
    assert.deepEqual(mistakes({ publicUrl, acme: { enabled: true, dnsHook: '/etc/tocsin/dns-hook' } }), [])
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
      assert.match(mistakes({ ...site, acme: value }).join('\n'), message)
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
