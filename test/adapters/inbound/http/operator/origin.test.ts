import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnPage } from '../../../../../src/adapters/inbound/http/admission/origin.ts'

const cases = [
  ['https', 'https://sos.example.org', true],
  ['https', 'http://sos.example.org', false],
  ['https', 'https://sos.example.org:8443', false],
  ['https', 'https://sos.example.org/', false],
  ['https', 'https://ana@sos.example.org', false],
  ['https', 'null', false],
  ['https', 'https://public.example.org', true],
  ['https', 'http://public.example.org', false],
  // A proxy may have ended TLS, or not: then the page came without it, and is told to use it.
  ['http', 'https://sos.example.org', true],
  ['http', 'http://sos.example.org', true],
  ['http', 'http://sos.example.org:8080', false],
] as const
for (const [protocol, origin, isOwn] of cases) {
  test(`a change from ${origin} over ${protocol} is ${isOwn ? '' : 'not '}from our page`, () => {
    const headers = { origin, 'x-tocsin-console': '1' }
    const request = { headers, method: 'POST', host: 'sos.example.org', protocol }
    assert.equal(isOwnPage(request as never, 'https://public.example.org/base'), isOwn)
  })
}
