import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { suite, test } from 'node:test'
import { issueServer } from '../../../../src/adapters/platform/tls/issue.ts'
import {
  authorityValidity,
  concernOf,
  EARLIEST,
  likelyNow,
  RENEW_BEFORE_END_MS,
  SERVER_LIFE_MS,
  serverValidity,
  stateOf,
  validityOf,
  whyRenew,
} from '../../../../src/adapters/platform/tls/validity.ts'
import { DAY, SECOND } from '../../../../src/lib/durations.ts'
import { NOW, newAuthority } from './stand-in.ts'

const authority = await newAuthority()
const another = await newAuthority()
const NAMES = ['hut.local', '10.0.0.7']
const certificate = new X509Certificate((await issueServer(authority, NAMES, NOW)).cert)
const { from, to } = validityOf(certificate)

suite('lifetimes', () => {
  test('a server certificate is valid for 397 days with both ends, one of them in the past', () => {
    const validity = serverValidity(NOW + 1)
    assert.equal(validity.to - validity.from, SERVER_LIFE_MS - SECOND)
    assert.equal(SERVER_LIFE_MS, 397 * DAY)
    assert.equal(NOW - validity.from, DAY)
    assert.deepEqual({ from, to }, serverValidity(NOW), 'as it stands in the certificate')
  })

  test('a clock that was never set does not produce certificates from 1970', () => {
    assert.deepEqual(serverValidity(0), serverValidity(EARLIEST))
    assert.deepEqual(authorityValidity(0), authorityValidity(EARLIEST))
  })

  test('a CA is valid for 20 years, from before any clock', () => {
    assert.ok(authorityValidity(NOW).from < EARLIEST)
    assert.equal(authorityValidity(NOW).to, NOW + 20 * 365 * DAY)
  })
})

test('the state of a certificate at its ends', () => {
  const states = [from - 1, from, to, to + 1].map((now) => stateOf({ from, to }, now))
  assert.deepEqual(states, ['not_yet_valid', 'valid', 'valid', 'expired'])
})

suite('a server certificate is renewed', () => {
  const kept = { leaf: certificate, authority: new X509Certificate(authority.cert), names: NAMES, now: NOW }
  const other = new X509Certificate(another.cert)
  const lastGood = to - RENEW_BEFORE_END_MS
  const cases = [
    ['not while it is valid', {}, null],
    ['not on the last day before it is due', { now: lastGood }, null],
    ['when it expires soon', { now: lastGood + 1 }, /^it expires on 2/],
    ['when it has expired', { now: to + 365 * DAY }, /^it expires on 2/],
    ['when it is from the future', { now: from - 1 }, /^it was issued while the clock was ahead$/],
    ['when the machine got another address', { names: [...NAMES, '10.0.0.8'] }, /^it does not cover 10\.0\.0\.8$/],
    ['not when the machine lost one', { names: ['hut.local'] }, null],
    ['when the CA has changed', { authority: other }, /^another CA issued it$/],
  ] as const
  for (const [title, change, reason] of cases) {
    test(title, () => {
      const why = whyRenew({ ...kept, ...change })
      if (reason === null) assert.equal(why, null)
      else assert.match(why ?? '', reason)
    })
  }
})

test('until the clock is set, it is taken to be behind rather than the certificate to be from the future', () => {
  assert.equal(likelyNow(certificate, { now: 0, clockWasSet: false }), NOW)
  assert.equal(likelyNow(certificate, { now: NOW + 1, clockWasSet: false }), NOW + 1)
  assert.equal(likelyNow(certificate, { now: 0, clockWasSet: true }), 0)
})

suite('the operator’s warnings', () => {
  const cases = [
    ['operator', to - 22 * DAY, null],
    ['operator', to - 20 * DAY, /expires on .*: replace it/],
    ['operator', to + 1, /expired on .*, and clients reject it: replace it/],
    ['operator', from - 1, /is not valid before .*: replace it/],
    ['server', to, null],
    ['server', to + 1, /expired on /],
    ['server', from - 1, /is not valid before .*: if the clock of this machine is right, remove the file/],
    ['ca', to - 366 * DAY, null],
    ['ca', to - 364 * DAY, /expires on .*every client has to trust the new ca\.crt/],
  ] as const
  for (const [kind, now, sentence] of cases) {
    test(`${kind}, ${Math.round((now - to) / DAY)} days from the end`, () => {
      const told = concernOf({ certificate, file: '/etc/x.crt', kind }, now)
      if (sentence === null) assert.equal(told, null)
      else assert.match(told ?? '', sentence)
    })
  }
})
