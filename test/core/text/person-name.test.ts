import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstName, neutralName } from '../../../src/core/text/person-name.ts'
import { effort } from '../../harness/effort.ts'
import fc, { anyText } from '../../harness/fast-check.ts'
import { processorMs } from '../../harness/processor-time.ts'

const names = [
  ['Mia Moser', 'Mia Moser'],
  ['Dr. Anna-Lena O’Brien', 'Dr. Anna-Lena O’Brien'],
  ['J.R.R. Tolkien', 'J. R. R. Tolkien'],
  ['hiker-1', 'hiker-1'],
  ['Sparkasse gesperrt sparkasse-hilfe.example/x', 'Sparkasse gesperrt sparkasse-hilfe. example/ x'],
  ['https://evil.example/t/abc', 'https: / / evil. example/ t/ abc'],
  ['mia@example.com', 'mia@ example. com'],
  ['tel:+431234', "tel: +431'234"],
  ['example．com', 'example. com'],
  ['example。com', 'example。 com'],
  ['example｡com', 'example。 com'],
  ['example․com', 'example. com'],
  ['ｅｘａｍｐｌｅ．ｃｏｍ／ｘ', 'example. com/ x'],
  ['exam\u00adple.com', 'exam ple. com'],
  ['example.\u200dcom', 'example. \u200dcom'],
  ['müller.рф', 'müller. рф'],
  ['xn--mller-kva.de', 'xn--mller-kva. de'],
  ['192.168.1.20', "192'. 168'. 1. 20"],
  ['evil\\share', 'evil\\ share'],
  ['℀', 'a/ c'],
  ['Ruf 0900 123 456 an', "Ruf 090'0 12'3 45'6 an"],
  ['+43 (660) 123-45-67', "+43 (6'60) 1'23-4'5-67"],
  ['48213377', "482'133'77"],
  ['٠١٢٣٤٥٦', "٠١٢'٣٤٥'٦"],
  ['0900/ .\u200d\u200c 0900', "090'0/ . \u200d\u200c 09'00"],
  ['Hut 12345', 'Hut 12345'],
  ['Mia...', 'Mia...'],
  ['Mia\u202e\u0000\n Moser', 'Mia Moser'],
  ['\u200d', ''],
  ['  ', ''],
] as const
for (const [name, is] of names) {
  test(`${JSON.stringify(name)} becomes ${JSON.stringify(is)}`, () => assert.equal(neutralName(name), is))
}

const first = [
  ['Ana Berger', 'Ana'],
  ['Dr. Ana Berger', 'Ana'],
  ['M. Berger', 'Berger'],
  ['ana@example.com', 'ana@'],
  ['X', 'X'],
  ['\u0000', ''],
] as const
for (const [name, is] of first) {
  test(`the first name of ${JSON.stringify(name)} is ${JSON.stringify(is)}`, () => assert.equal(firstName(name), is))
}

/**
 * What the data detectors of phones look for: words joined as in a host, an address or a path, and six digits that read
 * as a number.
 */
const LINK_LIKE =
  /\S[.\u3002\uff0e\uff61\u2024\ufe52](?=[^\s.])[^\s]|[/\\:@]\S|\p{Nd}(?:[ \p{Pd}()+~/.]{0,5}\p{Nd}){5}/u

test('no name makes a phone show anything to tap', () => {
  const bit = fc.constantFrom(
    'evil',
    'example',
    '.',
    '．',
    '。',
    '｡',
    '․',
    '﹒',
    '/',
    '／',
    ':',
    '：',
    '@',
    '＠',
    '\\',
    'com',
    'рф',
    'xn--p1ai',
    'www',
    'tel',
    '0900',
    '12',
    '3',
    '-',
    '‑',
    ' ',
    '\u00a0',
    '+',
    '(',
    ')',
    '\u00ad',
    '\u200d',
    '\u202e',
    '\u0000',
    '٣',
    '🆘',
    'é',
    "'",
  )
  const name = fc.oneof(
    fc.array(bit, { maxLength: 40 }).map((bits) => bits.join('')),
    anyText({ maxLength: 300 }),
  )
  fc.assert(
    fc.property(name, (any) => {
      const shown = neutralName(any)
      assert.doesNotMatch(shown.replace(/\u200c|\u200d/g, ''), LINK_LIKE)
      assert.ok(shown.isWellFormed())
      assert.doesNotMatch(shown, /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
    { numRuns: effort(300, 10_000) },
  )
})

const BOUND_MS = 100

test('even the longest and worst name takes no noticeable time', async () => {
  for (const unit of ['1 ', '1   ', '.', ':', '1'.repeat(3), 'ﷺ', '\u0301', '。.', '1-(']) {
    const name = unit.repeat(Math.ceil(65_536 / unit.length))
    const ms = await processorMs(BOUND_MS, () => neutralName(name))
    assert.ok(ms < BOUND_MS, `${unit}: ${ms} ms`)
  }
})

test('a long name is cut, of plain letters too', () => {
  for (const letter of ['x', 'ж']) assert.equal(neutralName(letter.repeat(500)).length, 400)
})
