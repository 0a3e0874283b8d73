import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureText, httpFailureText } from '../../../src/adapters/outbound/http/http-failure.ts'
import { failureKind } from '../../../src/core/incident/failure-kind.ts'

const fault = (code: string) => Object.assign(new Error('x'), { code })

const texts: readonly [text: string, kind: string][] = [
  [failureText(fault('ETIMEDOUT')), 'timeout'],
  [failureText(fault('ECONNREFUSED')), 'unreachable'],
  [failureText(fault('ECONNRESET')), 'unreachable'],
  [failureText(fault('ENETUNREACH')), 'unreachable'],
  [failureText(fault('EODD')), 'unreachable'],
  [failureText(fault('ENOTFOUND')), 'name_not_found'],
  [failureText(fault('CERT_HAS_EXPIRED')), 'certificate'],
  [failureText(fault('E_BLOCKED_ADDRESS')), 'blocked_address'],
  [httpFailureText(429), 'rate_limited'],
  [httpFailureText(404), 'http_4xx'],
  [httpFailureText(503), 'http_5xx'],
  [httpFailureText(302), 'other'],
  ['invalid number', 'invalid_number'],
  ['provider error 21610', 'provider_error'],
  ['provider error', 'provider_error'],
  ['provider busy', 'busy'],
  ['no provider for calls', 'setup'],
  ['busy', 'other'],
  ['constructor', 'other'],
  ['upstream HTTP 404 and whatever somebody likes', 'other'],
]

for (const [text, kind] of texts) {
  test(`${text} counts as ${kind}`, () => assert.equal(failureKind(text), kind))
}
