import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBlockedTarget, type Resolve } from '../../../../src/adapters/outbound/http/address-guard.ts'
import { lanHosts } from '../../../../src/adapters/outbound/http/lan-hosts.ts'
import { createHttpNotifiers } from '../../../../src/adapters/outbound/webhook/http-notifiers.ts'
import { standIn, status } from './stand-in.ts'

const log = { info() {}, warn() {}, error() {} }
const to = (...addresses: readonly string[]): Resolve => {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
const isRefused = (url: string, hosts: readonly string[], resolve = to('93.184.215.14')): Promise<boolean> =>
  isBlockedTarget(url, resolve, lanHosts(hosts))

for (const [url, hosts, address] of [
  ['http://192.168.4.20/', ['192.168.4.20'], '192.168.4.20'],
  ['http://192.168.4.20:8080/', ['192.168.4.0/24'], '192.168.4.20'],
  ['http://nas.example.internal/', ['nas.example.internal'], '10.1.2.3'],
  ['http://NAS.example.internal./', ['nas.Example.internal'], '10.1.2.3'],
  ['http://nas/', ['10.0.0.0/8'], '10.1.2.3'],
  ['http://[fd12::5]/', ['fd12::/16'], 'fd12::5'],
  ['http://mesh/', ['mesh'], '100.64.0.9'],
] as const) {
  test(`${url} is allowed by ${hosts}, and refused without`, async () => {
    assert.equal(await isRefused(url, hosts, to(address)), false)
    assert.equal(await isRefused(url, [], to(address)), true)
    assert.equal(await isRefused(url, ['192.168.99.99', 'other'], to(address)), true)
  })
}

/** Whatever a list says, by every way to write it and by a name that resolves to it. */
const everything = ['0.0.0.0/0', '::/0', '127.0.0.1', '::1', '169.254.169.254', 'localhost', 'a.example', 'fe80::/10']
for (const address of [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '169.254.169.254',
  '169.254.1.1',
  '100.100.100.200',
  '168.63.129.16',
  '224.0.0.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  'ff02::1',
]) {
  test(`no list opens ${address}`, async () => {
    assert.equal(lanHosts([...everything, address])(address, 'a.example'), false)
    assert.equal(await isRefused('http://a.example/', [...everything, address], to(address)), true)
    // One address of the local network beside it opens neither.
    assert.equal(await isRefused('http://a.example/', [...everything, address], to('10.0.0.1', address)), true)
    if (address.includes('%')) return
    const url = `http://${address.includes(':') ? `[${address}]` : address}/`
    assert.equal(await isRefused(url, [...everything, address]), true)
  })
}

for (const host of ['localhost', 'foo.localhost', 'localhost.localdomain', '2130706433', '0x7f.1', '017700000001']) {
  test(`nor http://${host}, whatever a resolver says about it`, async () => {
    assert.equal(await isRefused(`http://${host}/`, [...everything, host], to('10.0.0.1')), true)
  })
}

test('a listed name that turns to this machine, or a redirect to it, is never followed', async (t) => {
  const service = await standIn(t, status(302, { location: 'http://127.0.0.1:9/' }))
  const answers = ['10.0.0.1', '127.0.0.1']
  const rebinding: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
  const lan = lanHosts([...everything, 'hook.example'])
  const url = `http://hook.example:${service.port}/`
  assert.equal(await isBlockedTarget(url, rebinding, lan), false)
  const guarded = createHttpNotifiers({
    allowPrivateTargets: false,
    lan,
    clock: { now: () => 0 },
    log,
    resolve: rebinding,
  })
  t.after(() => guarded.close())
  const call = {
    attemptId: 'i.1',
    incidentId: 'i',
    claimedAt: 0,
    timeoutMs: 60_000,
    channel: 'chat',
    format: 'text',
  } as const
  const blocked = { kind: 'failed', error: 'blocked address', retryable: true }
  assert.deepEqual(await guarded.chat.send({ ...call, url, text: 'SOS' }), blocked)
  assert.equal(service.connections(), 0)
  // The control: without the guard the stand-in answers with its redirect, which counts as a failure.
  const open = createHttpNotifiers({ allowPrivateTargets: true, clock: { now: () => 0 }, log })
  t.after(() => open.close())
  assert.equal((await open.chat.send({ ...call, url: service.url, text: 'SOS' })).kind, 'failed')
  assert.equal(service.heard.length, 1)
})

test('a listed host is really called', async (t) => {
  const lan = lanHosts(['10.255.255.254'])
  const made = createHttpNotifiers({ allowPrivateTargets: false, lan, clock: { now: () => 0 }, log })
  t.after(() => made.close())
  const call = {
    attemptId: 'i.1',
    incidentId: 'i',
    claimedAt: 0,
    timeoutMs: 50,
    channel: 'chat',
    format: 'text',
  } as const
  const outcome = await made.chat.send({ ...call, url: 'http://10.255.255.254:9/', text: 'SOS' })
  assert.ok(outcome.kind === 'failed' && outcome.error !== 'blocked address', JSON.stringify(outcome))
})
