import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { configKeys } from '../../src/config/keys.ts'
import type { Tree } from '../../src/config/tree.ts'
import { type Config, configOf, listenersOn, problemText, readConfig } from '../../src/config.ts'
import { defaultSettings } from '../../src/core/account/settings.ts'

function configFrom(tree: Tree, env: Record<string, string> = {}, cwd = '/srv'): Config {
  const configured = configOf(tree, env, cwd)
  if ('problems' in configured) throw new Error(configured.problems.map(problemText).join('\n'))
  return configured.config
}

function problemsOf(tree: Tree, env: Record<string, string> = {}): readonly string[] {
  const configured = configOf(tree, env, '/srv')
  return 'problems' in configured ? configured.problems.map(problemText) : []
}

async function file(t: TestContext, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tocsin-config-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'site.yaml')
  await writeFile(path, text)
  return path
}

const at = (config: Config, path: string): unknown => path.split('.').reduce<any>((found, key) => found[key], config)

test('without a file every key has its documented default', () => {
  const config = configFrom({})
  const promised: readonly (readonly [string, unknown])[] = [
    ['dataDir', '/srv/data'],
    ['publicUrl', null],
    ['log.level', 'info'],
    ['mqtt.host', '127.0.0.1'],
    ['mqtt.port', 1883],
    ['mqtt.maxPacketBytes', 65_536],
    ['mqtt.callbackToken', null],
    ['mqtt.proxyProtocol', null],
    ['mqtt.callbackDenyStatus', 403],
    ['mqtt.sessionTtlSeconds', 300],
    ['mqtts.host', '0.0.0.0'],
    ['mqtts.port', 8883],
    ['http.host', '127.0.0.1'],
    ['http.port', 8080],
    ['http.trustProxy', false],
    ['http.proxyProtocol', null],
    ['https.host', '0.0.0.0'],
    ['https.port', 8443],
    ['tls.cert', null],
    ['metrics.token', null],
    ['notifications.providers', ['outbox']],
    ['notifications.allowPrivateTargets', false],
    ['notifications.defaults', defaultSettings],
    ['twilio.baseUrl', 'https://api.twilio.com'],
    ['twilio.callsPerSecond', 1],
    ['twilio.pollSeconds', 5],
    ['lora.regionByteScheme', 'loramacNode'],
    ['lora.countries', {}],
    ['tracking.emergencyNumbers', {}],
    ['map.overlays', []],
    ['map.basemap', null],
    ['map.tileUrl', null],
    ['limits.contactsPerUser', 10],
    ['limits.devicesPerUser', 10],
  ]
  for (const [key, value] of promised) assert.deepEqual(at(config, key), value, key)
})

test('the whole configuration is deeply frozen', () => {
  const config = configFrom({ lora: { countries: { DE: 'EU868' } } })
  const thawed = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && (!Object.isFrozen(value) || Object.values(value).some(thawed))
  assert.equal(thawed(config), false)
  assert.throws(() => ((config.notifications.providers as string[])[0] = 'twilio'), TypeError)
})

const read: readonly (readonly [what: string, tree: Tree, env: Record<string, string>, key: string, value: unknown])[] =
  [
    ['the file over the default', { http: { port: 8081 } }, {}, 'http.port', 8081],
    ['the environment over the file', { http: { port: 8081 } }, { TOCSIN_HTTP_PORT: '8082' }, 'http.port', 8082],
    ['the environment without a file', {}, { TOCSIN_MQTT_PORT: '0' }, 'mqtt.port', 0],
    ['an empty variable as absent', { http: { port: 8081 } }, { TOCSIN_HTTP_PORT: '' }, 'http.port', 8081],
    ['an empty key as absent', { http: { port: null } }, {}, 'http.port', 8080],
    ['an empty section as absent', { http: null }, {}, 'http.port', 8080],
    ['a listener that is off', { mqtt: { port: 'off' } }, {}, 'mqtt.port', 'off'],
    ['a listener that is off, in capitals', { mqtt: { port: 'OFF' } }, {}, 'mqtt.port', 'off'],
    ['a listener that YAML 1.1 switched off', { mqtt: { port: false } }, {}, 'mqtt.port', 'off'],
    ['a listener that the environment switches off', {}, { TOCSIN_MQTTS_PORT: 'off' }, 'mqtts.port', 'off'],
    ['capitals within a key', {}, { TOCSIN_MQTT_SESSION_TTL_SECONDS: '60' }, 'mqtt.sessionTtlSeconds', 60],
    ['a fraction of a second', { mqtt: { sessionTtlSeconds: 0.5 } }, {}, 'mqtt.sessionTtlSeconds', 0.5],
    ['a choice between numbers', {}, { TOCSIN_MQTT_CALLBACK_DENY_STATUS: '200' }, 'mqtt.callbackDenyStatus', 200],
    ['a list', { notifications: { providers: ['outbox'] } }, {}, 'notifications.providers', ['outbox']],
    [
      'a list from the environment',
      { gateway: { url: 'http://gw.local/' } },
      { TOCSIN_NOTIFICATIONS_PROVIDERS: 'http, outbox' },
      'notifications.providers',
      ['http', 'outbox'],
    ],
    [
      'what a gateway can do, from the environment',
      {},
      { TOCSIN_GATEWAY_CHANNELS: 'sms, voice' },
      'gateway.channels',
      ['sms', 'voice'],
    ],
    [
      'a list of numbers from the environment',
      {},
      { TOCSIN_NOTIFICATIONS_DEFAULTS_HTTP_BACKOFF_SECONDS: '0.5,1, 2' },
      'notifications.defaults.httpBackoffSeconds',
      [0.5, 1, 2],
    ],
    [
      'a setting, and the others stay',
      { notifications: { defaults: { graceSeconds: 0.25 } } },
      { TOCSIN_NOTIFICATIONS_DEFAULTS_ROUNDS: '3' },
      'notifications.defaults',
      { ...defaultSettings, graceSeconds: 0.25, rounds: 3 },
    ],
    [
      'a mapping from the environment as JSON',
      {},
      { TOCSIN_LORA_COUNTRIES: '{"NZ":"AS923-1"}' },
      'lora.countries.NZ.plan',
      'AS923-1',
    ],
    [
      'a mapping from the environment as YAML',
      {},
      { TOCSIN_LORA_COUNTRIES: '{LS: none}' },
      'lora.countries.LS.plan',
      'none',
    ],
    ['no proxy trusted', {}, { TOCSIN_HTTP_TRUST_PROXY: 'off' }, 'http.trustProxy', false],
    ['all proxies trusted', { http: { trustProxy: 'on' } }, {}, 'http.trustProxy', true],
    ['proxies', { http: { trustProxy: ['10.0.0.0/8', '::1'] } }, {}, 'http.trustProxy', ['10.0.0.0/8', '::1']],
    ['one proxy', { http: { trustProxy: '10.0.0.1' } }, {}, 'http.trustProxy', ['10.0.0.1']],
    [
      'proxies from the environment',
      {},
      { TOCSIN_HTTP_TRUST_PROXY: 'loopback,10.0.0.1' },
      'http.trustProxy',
      ['loopback', '10.0.0.1'],
    ],
    [
      'balancers',
      { mqtt: { proxyProtocol: ['10.0.0.10', 'fd00::/64'] } },
      {},
      'mqtt.proxyProtocol',
      ['10.0.0.10', 'fd00::/64'],
    ],
    ['one balancer', { http: { proxyProtocol: '10.0.0.10' } }, {}, 'http.proxyProtocol', ['10.0.0.10']],
    [
      'balancers from the environment',
      {},
      { TOCSIN_MQTT_PROXY_PROTOCOL: '10.0.0.10, 10.0.0.11' },
      'mqtt.proxyProtocol',
      ['10.0.0.10', '10.0.0.11'],
    ],
    [
      'an address without its trailing slash',
      { publicUrl: 'https://sos.example.org/' },
      {},
      'publicUrl',
      'https://sos.example.org',
    ],
    ['an absolute data directory', { dataDir: '/var/lib/tocsin' }, {}, 'dataDir', '/var/lib/tocsin'],
    ['a relative data directory', {}, { TOCSIN_DATA_DIR: 'site' }, 'dataDir', '/srv/site'],
    ['a relative certificate', { tls: { cert: 'cert.pem', key: 'key.pem' } }, {}, 'tls.cert', '/srv/cert.pem'],
  ]
for (const [what, tree, env, key, value] of read) {
  test(`reads ${what}`, () => assert.deepEqual(at(configFrom(tree, env), key), value))
}

for (const [word, value] of [
  ['on', true],
  ['off', false],
  ['true', true],
  ['false', false],
  ['On', true],
  [true, true],
  [false, false],
] as const) {
  test(`${inspect(word)} means ${value ? 'on' : 'off'}, in the file and in the environment`, () => {
    const tree = { notifications: { allowPrivateTargets: word, defaults: { voice: word, allClear: word } } }
    const config = configFrom(tree)
    assert.equal(config.notifications.allowPrivateTargets, value)
    assert.equal(config.notifications.defaults.voice, value)
    assert.equal(config.notifications.defaults.allClear, value)
    const env = { TOCSIN_NOTIFICATIONS_ALLOW_PRIVATE_TARGETS: String(word) }
    assert.equal(configFrom({}, env).notifications.allowPrivateTargets, value)
  })
}

const tts = { type: 'tts', application: '0190aaaa-0000-7000-8000-000000000001', token: 'a token of 16 letters' }

const refused: readonly (readonly [
  what: string,
  tree: Tree,
  env: Record<string, string>,
  problems: readonly string[],
])[] = [
  ['an invalid port', { http: { port: 65_536 } }, {}, ['http.port: must be a port from 0 to 65535, or off']],
  ['a port with a fraction', { http: { port: 80.5 } }, {}, ['http.port: must be a port from 0 to 65535, or off']],
  [
    'a port from the environment, with its name',
    { http: { port: 1 } },
    { TOCSIN_HTTP_PORT: 'eighty' },
    ['http.port (TOCSIN_HTTP_PORT): must be a port from 0 to 65535, or off'],
  ],
  [
    'a misspelt key, with a suggestion',
    { http: { prot: 1 } },
    {},
    ['http.prot: is not a known key; did you mean http.port?'],
  ],
  ['a misspelt section', { htpp: {} }, {}, ['htpp: is not a known key; did you mean http?']],
  ['a key unlike any other', { weather: 'fine' }, {}, ['weather: is not a known key']],
  [
    'a key of JavaScript',
    JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
    {},
    ['__proto__: is not a known key', 'constructor: is not a known key'],
  ],
  [
    'a misspelt variable, with a suggestion',
    {},
    { TOCSIN_HTTP_PROT: '1' },
    ['TOCSIN_HTTP_PROT: is not a known setting; did you mean TOCSIN_HTTP_PORT?'],
  ],
  ['an invalid section', { mqtt: 1883 }, {}, ['mqtt: must be a section with its own keys']],
  [
    'text that is a number',
    { mqtt: { callbackToken: 12345 } },
    {},
    ['mqtt.callbackToken: must be text (put a number in quotes)'],
  ],
  [
    'an invalid word for on',
    { notifications: { defaults: { voice: 'maybe' } } },
    {},
    ['notifications.defaults.voice: must be on or off'],
  ],
  [
    'a setting out of bounds',
    { notifications: { defaults: { graceSeconds: -1 } } },
    {},
    ['notifications.defaults.graceSeconds: must be at least 0'],
  ],
  [
    'an unknown provider in a list',
    {},
    { TOCSIN_NOTIFICATIONS_PROVIDERS: 'outbox,pigeon' },
    ['notifications.providers[1] (TOCSIN_NOTIFICATIONS_PROVIDERS): must be one of outbox, twilio, http, modem'],
  ],
  ['no provider at all', { notifications: { providers: [] } }, {}, ['notifications.providers: must name a provider']],
  [
    'a provider twice',
    { notifications: { providers: ['outbox', 'outbox'] } },
    {},
    ['notifications.providers: must name each provider once'],
  ],
  [
    'an address with a user',
    { publicUrl: 'https://a:b@c.org' },
    {},
    ['publicUrl: must be an address without user, query or fragment'],
  ],
  [
    'messages to trackers of The Things Stack without the webhook',
    { lorawan: { servers: { valley: { ...tts, downlink: { url: 'https://tts.example', key: 'k' } } } } },
    {},
    ['lorawan.servers.valley.downlink.webhook: is required: the id of the webhook'],
  ],
  [
    'messages to trackers at an address with a user',
    {
      lorawan: {
        servers: { valley: { ...tts, downlink: { url: 'https://u:p@tts.example', key: 'k', webhook: 'w' } } },
      },
    },
    {},
    ['lorawan.servers.valley.downlink.url: must be an address without user, query or fragment'],
  ],
  [
    'messages to trackers that are no bytes',
    { lorawan: { profiles: { abeeway: { downlinks: { received: { port: 7, hex: '0x1' } } } } } },
    {},
    ['lorawan.profiles.abeeway.downlinks.received.hex: must be bytes in hexadecimal, such as 0101'],
  ],
  ['an invalid address', { publicUrl: 'sos.example.org' }, {}, ['publicUrl: must be an http or https address']],
  [
    'an invalid network',
    { http: { trustProxy: ['10.0.0.0/40'] } },
    {},
    ['http.trustProxy[0]: must be an address, a network (10.0.0.0/8) or one of loopback, linklocal, uniquelocal'],
  ],
  [
    'a switch in place of balancers',
    { http: { proxyProtocol: true } },
    {},
    ['http.proxyProtocol: must be a list of addresses and networks'],
  ],
  [
    'the name of a balancer',
    { mqtt: { proxyProtocol: 'lb.example.org' } },
    {},
    ['mqtt.proxyProtocol[0]: must be an address, a network (10.0.0.0/8) or one of loopback, linklocal, uniquelocal'],
  ],
  [
    'an invalid country',
    { lora: { countries: { XX: 'EU868' } } },
    {},
    ['lora.countries.XX: is not an ISO 3166-1 alpha-2 country code in capitals'],
  ],
  [
    'emergency numbers that nobody can dial',
    { tracking: { emergencyNumbers: { at: '140', CH: 1414, DE: 'help' } } },
    {},
    [
      'tracking.emergencyNumbers.at: is not an ISO 3166-1 alpha-2 country code in capitals',
      'tracking.emergencyNumbers.CH: must be text (put a number in quotes)',
      'tracking.emergencyNumbers.DE: must be a number to dial',
    ],
  ],
  [
    'map images from a plain host',
    { map: { tileUrl: 'http://tiles.example/{z}/{x}/{y}.png' } },
    {},
    ['map.tileUrl: must be an https address with {z}, {x} and {y}'],
  ],
  [
    'map images from an address without places',
    { map: { tileUrl: 'https://tiles.example/{z}/{x}.png' } },
    {},
    ['map.tileUrl: must be an https address with {z}, {x} and {y}'],
  ],
  [
    'map images from several hosts',
    { map: { tileUrl: 'https://{s}.tiles.example/{z}/{x}/{y}.png' } },
    {},
    ['map.tileUrl: must be an https address with {z}, {x} and {y}'],
  ],
  [
    'map images from an address with a user',
    { map: { tileUrl: 'https://user:word@tiles.example/{z}/{x}/{y}' } },
    {},
    ['map.tileUrl: must be an https address with {z}, {x} and {y}'],
  ],
  [
    'map images from a host that would say more in a policy',
    { map: { tileUrl: 'https://a;script-src *.example/{z}/{x}/{y}' } },
    {},
    ['map.tileUrl: must be an https address with {z}, {x} and {y}'],
  ],
  ['overlays that are no list', { map: { overlays: 'huts.geojson' } }, {}, ['map.overlays: must be a list of files']],
  [
    'an invalid mapping',
    {},
    { TOCSIN_LORA_COUNTRIES: '{DE: ' },
    ['lora.countries (TOCSIN_LORA_COUNTRIES): must be a mapping'],
  ],
  ['a header over two lines', { gateway: { headers: { a: 'b\nc: d' } } }, {}, ['gateway.headers.a: must be one line']],
  [
    'an invalid header',
    { gateway: { headers: { 'a b': 'c' } } },
    {},
    ['gateway.headers.a b: is not a valid header name'],
  ],
  [
    'Twilio without an account',
    { notifications: { providers: ['twilio'] } },
    {},
    [
      'twilio.accountSid: is required with the provider twilio',
      'twilio.authToken: is required with the provider twilio',
      'twilio.from: is required with the provider twilio, or twilio.messagingServiceSid',
    ],
  ],
  [
    'a gateway without an address',
    {},
    { TOCSIN_NOTIFICATIONS_PROVIDERS: 'http' },
    ['gateway.url: is required with the provider http'],
  ],
  [
    'a gateway for a channel that is never used',
    { gateway: { channels: ['sms', 'fax'] } },
    {},
    ['gateway.channels[1]: must be one of sms, voice'],
  ],
  ['a gateway that can do nothing', { gateway: { channels: [] } }, {}, ['gateway.channels: must name a channel']],
  [
    'the provider modem without its spool',
    { notifications: { providers: ['modem'] } },
    {},
    ['modem.spool: is required with the provider modem'],
  ],
  ['a spool somewhere', { modem: { spool: 'spool' } }, {}, ['modem.spool: must be an absolute path']],
  ['a certificate without its key', { tls: { cert: 'a.pem' } }, {}, ['tls.key: is required with tls.cert']],
  ['a key without its certificate', { tls: { key: 'a.pem' } }, {}, ['tls.cert: is required with tls.key']],
]
for (const [what, tree, env, problems] of refused) {
  test(`refuses ${what}`, () => assert.deepEqual(problemsOf(tree, env), problems))
}

test('every mistake is reported at once', () => {
  const tree = {
    htpp: {},
    http: { port: -1, trustProxi: 'on' },
    log: { level: 'loud' },
    notifications: { providers: ['twilio'], defaults: { rounds: 0 } },
    twilio: { accountSid: 'AC1', authToken: 'geheim' },
  }
  const env = { TOCSIN_MQTT_PORT: 'x', TOCSIN_LIMITS_DISK_RESERVE_MB: '-1', TOCSIN_LOG_LEVL: 'info' }
  const keys = problemsOf(tree, env).map((problem) => /^[\w.]+/.exec(problem)?.[0])
  assert.deepEqual(keys.toSorted(), [
    'TOCSIN_LOG_LEVL',
    'htpp',
    'http.port',
    'http.trustProxi',
    'limits.diskReserveMb',
    'log.level',
    'mqtt.port',
    'notifications.defaults.rounds',
    'twilio.from',
  ])
})

test('Twilio is complete with a sender or a messaging service', () => {
  const account = { accountSid: 'AC1', authToken: 'geheim' }
  const providers = { providers: ['twilio'] }
  assert.deepEqual(problemsOf({ notifications: providers, twilio: { ...account, from: '+12025550123' } }), [])
  assert.deepEqual(problemsOf({ notifications: providers, twilio: { ...account, messagingServiceSid: 'MG1' } }), [])
})

test('a profile with a shipped one’s name keeps the SOS of that one', () => {
  const downlinks = { received: { port: 7, hex: '01' } }
  const { profiles } = configFrom({
    lorawan: { profiles: { abeeway: { downlinks, battery: { path: 'b' } }, own: {} } },
  }).lorawan
  assert.deepEqual(profiles.abeeway?.sos.when, [{ path: ['sosFlag'], is: [1, true] }])
  assert.deepEqual([profiles.abeeway?.downlinks, profiles.abeeway?.battery?.path], [downlinks, ['b']])
  assert.deepEqual(profiles.own?.sos.when, [])
})

test('variables that Kubernetes and Docker set for a service called tocsin are ignored', () => {
  const env = {
    TOCSIN_SERVICE_HOST: '10.0.0.1',
    TOCSIN_SERVICE_PORT_HTTP: '8080',
    TOCSIN_PORT: 'tcp://10.0.0.1:8080',
    TOCSIN_PORT_8080_TCP_ADDR: '10.0.0.1',
  }
  assert.deepEqual(problemsOf({}, env), [])
})

test('each key has its own variable, named by its path', () => {
  const variables = configKeys.map(({ variable }) => variable)
  assert.equal(new Set(variables).size, variables.length)
  for (const [key, variable] of [
    ['http.port', 'TOCSIN_HTTP_PORT'],
    ['twilio.authToken', 'TOCSIN_TWILIO_AUTH_TOKEN'],
    ['notifications.allowPrivateTargets', 'TOCSIN_NOTIFICATIONS_ALLOW_PRIVATE_TARGETS'],
    ['notifications.defaults.graceSeconds', 'TOCSIN_NOTIFICATIONS_DEFAULTS_GRACE_SECONDS'],
    ['lora.regionByteScheme', 'TOCSIN_LORA_REGION_BYTE_SCHEME'],
    ['dataDir', 'TOCSIN_DATA_DIR'],
  ] as const) {
    assert.equal(configKeys.find(({ path }) => path.join('.') === key)?.variable, variable)
  }
})

const secrets = {
  mqtt: { callbackToken: 'secret-callback' },
  metrics: { token: 'secret-metrics' },
  twilio: { authToken: 'secret-twilio' },
  gateway: {
    url: 'http://gw.local/send?key=secret-url',
    headers: { authorization: 'Bearer secret-header' },
    template: '{ "key": "secret-template" }',
  },
}

test('secrets can be revealed', () => {
  const { mqtt, metrics, twilio, gateway } = configFrom(secrets)
  assert.equal(mqtt.callbackToken?.reveal(), secrets.mqtt.callbackToken)
  assert.equal(metrics.token?.reveal(), secrets.metrics.token)
  assert.equal(twilio.authToken?.reveal(), secrets.twilio.authToken)
  assert.equal(gateway.url?.reveal(), secrets.gateway.url)
  assert.deepEqual(gateway.headers?.reveal(), secrets.gateway.headers)
  assert.equal(gateway.template?.reveal(), secrets.gateway.template)
})

for (const [how, print] of [
  ['JSON.stringify', (value: unknown) => JSON.stringify(value)],
  ['util.inspect', (value: unknown) => inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true })],
  [
    'util.inspect without custom functions',
    (value: unknown) => inspect(value, { depth: null, customInspect: false, showHidden: true }),
  ],
  ['a template string', (value: unknown) => `${(value as Config).mqtt.callbackToken}`],
] as const) {
  test(`secrets are not printed by ${how}`, () => {
    assert.doesNotMatch(print(configFrom(secrets)), /secret-/)
    // Control: fails if the search itself finds nothing.
    assert.match(print({ mqtt: { callbackToken: 'secret-callback' } }), /secret-/)
  })
}

test('mistakes beside secrets do not print them', () => {
  const tree = {
    ...secrets,
    gateway: { url: 'secret-no-address', headers: { a: 'secret-\u0007' }, template: ['secret-list'] },
  }
  assert.equal(problemsOf(tree).length, 3)
  assert.doesNotMatch(problemsOf(tree, { TOCSIN_METRICS_TOKEN: 'secret-env' }).join('\n'), /secret-/)
})

test('listenersOn lists the listeners that are on', () => {
  const tree = { mqtt: { port: 'off' }, https: { port: 'off' }, http: { port: 0 } }
  assert.deepEqual(listenersOn(configFrom(tree)), ['mqtts', 'http'])
})

test('a named file is read, and the environment overrides it', async (t) => {
  const path = await file(t, 'http:\n  port: 8081\nmqtt:\n  port: off\n')
  const configured = readConfig({ file: path, env: { TOCSIN_HTTP_PORT: '8082' }, cwd: '/srv' })
  assert.ok('config' in configured)
  assert.equal(configured.file, path)
  assert.equal(configured.config.http.port, 8082)
  assert.equal(configured.config.mqtt.port, 'off')
})

test('TOCSIN_CONFIG names a file, and --config takes precedence', async (t) => {
  const [one, other] = [await file(t, 'http: { port: 1 }'), await file(t, 'http: { port: 2 }')]
  const byVariable = readConfig({ env: { TOCSIN_CONFIG: one }, cwd: '/srv' })
  assert.equal('config' in byVariable && byVariable.config.http.port, 1)
  const byOption = readConfig({ file: other, env: { TOCSIN_CONFIG: one }, cwd: '/srv' })
  assert.equal('config' in byOption && byOption.config.http.port, 2)
})

test('an empty file is a file with nothing in it', async (t) => {
  const configured = readConfig({ file: await file(t, '# nothing\n'), env: {}, cwd: '/srv' })
  assert.equal('config' in configured && configured.config.http.port, 8080)
})

const broken: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['that is not YAML', 'http:\n  port: [1', /: .* at line 2, column \d+$/],
  ['that is a list', '- 1\n', /: must be a mapping of keys to values$/],
  ['with a key twice', 'http: {}\nhttp: {}\n', /: .*unique.* at line 2, column 1$/],
  ['with an unknown tag', 'dataDir: !env HOME\n', /: .*!env.* at line 1, column \d+$/],
]
for (const [what, text, message] of broken) {
  test(`a file ${what} is a mistake with its place`, async (t) => {
    const path = await file(t, text)
    const configured = readConfig({ file: path, env: {}, cwd: '/srv' })
    assert.ok('problems' in configured)
    const [problem] = configured.problems
    assert.ok(problem?.message.startsWith(`${path}: `))
    assert.match(problem?.message ?? '', message)
  })
}

test('a mistake comes with its line in the file', async (t) => {
  const text = [
    '# comment',
    'notifications:',
    '  providers:',
    '    - outbox',
    '    - pigeon',
    '  defaults: { rounds: none }',
    'gateway: { headers: { "a b": c } }',
    'twilio:',
    '  accountSid: XX',
    'mqqt: 1',
  ].join('\n')
  const configured = readConfig({ file: await file(t, text), env: { TOCSIN_HTTP_PORT: 'x' }, cwd: '/srv' })
  assert.ok('problems' in configured)
  assert.deepEqual(Object.fromEntries(configured.problems.map(({ key, line }) => [key, line])), {
    'notifications.providers[1]': 5,
    'notifications.defaults.rounds': 6,
    'twilio.accountSid': 9,
    'gateway.headers.a b': 7,
    'http.port': null,
    mqqt: 10,
  })
})

test('a named file that is missing is a mistake', () => {
  for (const sources of [{ file: 'nowhere.yaml', env: {} }, { env: { TOCSIN_CONFIG: 'nowhere.yaml' } }]) {
    const configured = readConfig({ ...sources, cwd: '/srv' })
    assert.deepEqual('problems' in configured && configured.problems.map(problemText), [
      '/srv/nowhere.yaml: file not found',
    ])
  }
})

test('the key of sealed values comes from the environment alone, in base64 or hexadecimal, and never shows', () => {
  const hex = '0f'.repeat(32)
  const bytes = Buffer.from(hex, 'hex')
  for (const written of [hex, hex.toUpperCase(), bytes.toString('base64'), `${bytes.toString('base64url')}\n`]) {
    const { secretsKey } = configFrom({}, { TOCSIN_SECRETS_KEY: written })
    assert.deepEqual(secretsKey?.reveal(), bytes)
    assert.ok(!JSON.stringify({ secretsKey }).includes('15,15'))
  }
  assert.equal(configFrom({}, { TOCSIN_SECRETS_KEY: ' ' }).secretsKey, null)
  const message = 'must be 32 bytes in base64 or as 64 hexadecimal digits: openssl rand -base64 32 makes one'
  for (const written of ['short', hex.slice(2), `${bytes.toString('base64')}AAAA`, 'not base64!', 'g'.repeat(64)]) {
    assert.deepEqual(problemsOf({}, { TOCSIN_SECRETS_KEY: written }), [`TOCSIN_SECRETS_KEY: ${message}`], written)
  }
  assert.deepEqual(problemsOf({ secretsKey: hex }), ['secretsKey: is not a known key'])
})
