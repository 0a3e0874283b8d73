import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLocalOnly } from '../../src/config/public-address.ts'
import { defaultPublicUrl } from '../../src/service/addresses.ts'

const address = () => '192.0.2.7'

test('links use the first bound address of https, http; a listener on every address is reached at one of them', () => {
  const table = [
    [{ https: 'https://0.0.0.0:8443', http: 'http://127.0.0.1:8080' }, 'https://192.0.2.7:8443'],
    [{ https: 'https://[::]:443' }, 'https://192.0.2.7'],
    [{ http: 'http://10.0.0.5:80' }, 'http://10.0.0.5'],
    [{ https: 'https://10.0.0.5:4430' }, 'https://10.0.0.5:4430'],
    [{ http: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080'],
    [{ https: 'https://10.0.0.5:8443' }, 'https://10.0.0.5:8443'],
    [{ mqtt: 'mqtt://0.0.0.0:1883' }, ''],
  ] as const
  for (const [listeners, expected] of table) assert.equal(defaultPublicUrl(listeners, address), expected)
})

test('loopback addresses and no address at all are distinguished from reachable ones', () => {
  for (const url of [
    '',
    'http://127.0.0.1:8080',
    'http://[::1]:80',
    'http://localhost:1',
    'http://LOCALHOST./',
    'http://a.localhost',
  ])
    assert.ok(isLocalOnly(url), url)
  for (const url of ['https://sos.example.org', 'http://192.0.2.7', 'http://localhost.example.org']) {
    assert.ok(!isLocalOnly(url), url)
  }
})
