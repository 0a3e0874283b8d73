import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkAt, publicUrlFinding } from '../../../src/core/account/public-url.ts'

// rules.md#tracking-links.
const table: readonly [publicUrl: string, finding: ReturnType<typeof publicUrlFinding>][] = [
  ['https://sos.example.org', null],
  ['https://203.0.113.7:8443', null],
  ['https://10.example.org', null],
  ['https://[2001:db8::1]', null],
  ['', 'public_url_loopback'],
  ['http://localhost:8080', 'public_url_loopback'],
  ['http://sos.localhost', 'public_url_loopback'],
  ['https://127.0.0.2', 'public_url_loopback'],
  ['http://[::1]:8080', 'public_url_loopback'],
  ['http://0.0.0.0:8080', 'public_url_loopback'],
  ['http://192.168.1.4:8080', 'public_url_private'],
  ['https://10.0.0.1', 'public_url_private'],
  ['https://172.20.0.1', 'public_url_private'],
  ['https://100.64.0.1', 'public_url_private'],
  ['https://[fd00::1]', 'public_url_private'],
  ['https://hut.local', 'public_url_private'],
  ['https://server', 'public_url_private'],
]
for (const [publicUrl, finding] of table) {
  test(`links at ${publicUrl || 'no address'}: ${finding ?? 'open everywhere'}`, () => {
    assert.equal(publicUrlFinding(publicUrl), finding)
    assert.equal(linkAt(publicUrl, '/t/x'), finding === 'public_url_loopback' ? null : `${publicUrl}/t/x`)
  })
}
