import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, matchingStep, stepAt, totpCode, totpLink } from '../../../src/core/operator/totp.ts'

const SECRET = Buffer.from('12345678901234567890')

test('codes are those of RFC 6238, appendix B', () => {
  const vectors = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const
  for (const [seconds, code] of vectors) assert.equal(totpCode(SECRET, stepAt(seconds * 1000), 8), code, `${seconds} s`)
})

test('codes are those of RFC 4226, appendix D', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']
  assert.deepEqual(
    codes.map((_, counter) => totpCode(SECRET, counter)),
    codes,
  )
})

test('a code counts in its own step and one beside it, and once', () => {
  const now = 1_234_567_890_000
  const step = stepAt(now)
  const matches = (code: string, lastStep = 0) => matchingStep(SECRET, code, { now, lastStep })
  const table = [
    [-2, null],
    [-1, step - 1],
    [0, step],
    [1, step + 1],
    [2, null],
  ] as const
  for (const [apart, found] of table) assert.equal(matches(totpCode(SECRET, step + apart)), found, `${apart} steps`)
  assert.equal(matches(totpCode(SECRET, step), step), null, 'used already')
  assert.equal(matches(totpCode(SECRET, step - 1), step), null, 'older than the last one')
  assert.equal(matches(totpCode(SECRET, step + 1), step), step + 1)
  assert.equal(matches(totpCode(SECRET, step), step + 3), step, 'the last one was noted by a clock that ran ahead')
  const code = totpCode(SECRET, step)
  assert.equal(matches(`${code.slice(0, 3)} ${code.slice(3)}`), step)
  for (const wrong of ['', '12345', `${code}0`, 'abcdef', '１２３４５６']) assert.equal(matches(wrong), null, wrong)
})

test('secrets are shown in Base32, as in RFC 4648, and in the link for the app', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  }
  for (const [text, coded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), coded)
  assert.equal(
    totpLink(Buffer.from('foobar'), { site: 'Hut: North', login: 'ana@example.org' }),
    'otpauth://totp/Hut%3A%20North:ana%40example.org?secret=MZXW6YTBOI&issuer=Hut%3A%20North',
  )
})
