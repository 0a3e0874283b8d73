import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withSettings } from '../../src/config/settings.ts'
import { directoryProblems } from '../../src/service/certificate-setup.ts'
import { closedAddresses, withoutGateway } from '../../src/service/gateway-hosts.ts'
import { testConfig } from '../harness/test-config.ts'

// docs/setup.md: a gateway in the local network.

const HOSTS = 'notifications.lanHosts'

test('the host of a gateway in use is not taken out of the local network', async () => {
  const base = testConfig('/nowhere', { notifications: { allowPrivateTargets: false } })
  const fields = async (url: string, hosts: readonly string[], values: object, config = base) => {
    const stored = { 'gateway.url': url, 'notifications.providers': ['http'], [HOSTS]: hosts }
    const site = { base: config, now: withSettings(config, stored).config } as never
    return (await withoutGateway(values as never, site)).map(({ field }) => field)
  }
  const here = 'http://192.168.4.7/sms?to={to}'
  for (const left of [[], null, ['192.168.4.8'], ['10.0.0.0/8']]) {
    assert.deepEqual(await fields(here, ['192.168.4.7'], { [HOSTS]: left }), [HOSTS], String(left))
  }
  // Another entry covers it; it never was in the list; it is public; another key; private targets are allowed.
  assert.deepEqual(await fields(here, ['192.168.4.7'], { [HOSTS]: ['192.168.4.0/24'] }), [])
  assert.deepEqual(await fields(here, [], { [HOSTS]: ['10.0.0.1'] }), [])
  assert.deepEqual(await fields('https://203.0.114.9/', ['192.168.4.7'], { [HOSTS]: null }), [])
  assert.deepEqual(await fields(here, ['192.168.4.7'], { timeZone: 'UTC' }), [])
  assert.deepEqual(await fields(here, ['192.168.4.7'], { [HOSTS]: null }, testConfig('/nowhere')), [])
})

test('a mail server or broker of the console is public or listed, and stays listed; the file names what it wants', async () => {
  const base = testConfig('/nowhere', { notifications: { allowPrivateTargets: false } })
  const server = { type: 'chirpstack', application: '0197f6a0-1c2d-7e3f-8a4b-0000000000c1' }
  const at = (host: string, hosts: readonly string[] = []) => ({
    'smtp.url': `smtp://${host}`,
    'smtp.from': 'sos@hut.example',
    'lorawan.servers': { hut: { ...server, mqtt: { url: `mqtt://${host}` } } },
    [HOSTS]: hosts,
  })
  const fields = async (next: object, before: object = {}, config = base) =>
    (
      await closedAddresses(withSettings(config, next as never).config, {
        base: config,
        now: withSettings(config, before as never).config,
      } as never)
    ).map(({ field }) => field)
  const both = ['smtp.url', 'lorawan.servers.hut.mqtt.url']
  assert.deepEqual(await fields(at('192.168.4.7')), both)
  assert.deepEqual(await fields(at('localhost', ['localhost', '127.0.0.1'])), both)
  assert.deepEqual(await fields(at('192.168.4.7', ['192.168.4.0/24'])), [])
  assert.deepEqual(await fields(at('203.0.114.9')), [])
  assert.deepEqual(await fields(at('192.168.4.7'), at('192.168.4.7')), [], 'what is there does not stop another change')
  const written = testConfig('/nowhere', {
    notifications: { allowPrivateTargets: false },
    smtp: { url: 'smtp://localhost', from: 'sos@hut.example' },
  })
  assert.deepEqual(await fields({}, {}, written), [])

  const site = { base, now: withSettings(base, at('192.168.4.7', ['192.168.4.7']) as never).config } as never
  const messages = async (hosts: readonly string[] | null) =>
    (await withoutGateway({ [HOSTS]: hosts }, site)).map(({ message }) => message)
  assert.deepEqual(
    await messages(null),
    both.map((key) => `has to keep the host of ${key}: change that first`),
  )
  assert.deepEqual(await messages(['192.168.0.0/16']), [])
})

test('a CA of the local network is set in the console once its host is listed, and one on this machine never', async () => {
  const fields = async (url: unknown, hosts: readonly string[], allowPrivateTargets = false) => {
    const config = testConfig('/nowhere', { notifications: { allowPrivateTargets, lanHosts: hosts } })
    return (await directoryProblems({ 'acme.directory': url } as never, config)).map(({ field }) => field)
  }
  const near = 'https://10.0.0.5/acme/directory'
  assert.deepEqual(await fields(near, []), ['acme.directory'])
  assert.deepEqual(await fields(` ${near}`, ['10.0.0.6']), ['acme.directory'])
  assert.deepEqual(await fields(near, ['10.0.0.0/24']), [])
  assert.deepEqual(await fields(near, [], true), [])
  assert.deepEqual(await fields('https://localhost/directory', ['localhost', '127.0.0.1']), ['acme.directory'])
  assert.deepEqual(await fields('https://[::ffff:169.254.169.254]/', []), ['acme.directory'])
  assert.deepEqual(await fields('https://203.0.114.9/directory', []), [])
  assert.deepEqual(await fields(null, []), [])
})
