import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitsIn, isGsm7, segmentsOf, withoutForeignAccents } from '../../../src/core/text/gsm7.ts'

const lengths = [
  { what: 'nothing', text: '', segments: 1 },
  { what: '160 septets', text: 'a'.repeat(160), segments: 1 },
  { what: '161 septets', text: 'a'.repeat(161), segments: 2 },
  { what: '306 septets in two parts', text: 'a'.repeat(306), segments: 2 },
  { what: '307 septets', text: 'a'.repeat(307), segments: 3 },
  { what: '80 signs of the extension table', text: '€'.repeat(80), segments: 1 },
  { what: '81 signs of the extension table', text: '€'.repeat(81), segments: 2 },
  { what: 'an escaped sign at the seam moves on whole', text: `${'a'.repeat(152)}€${'a'.repeat(152)}`, segments: 3 },
  { what: '70 characters outside the alphabet', text: 'я'.repeat(70), segments: 1 },
  { what: '71 characters outside the alphabet', text: 'я'.repeat(71), segments: 2 },
  { what: '134 in two parts', text: 'я'.repeat(134), segments: 2 },
  { what: 'one foreign character makes all of it UCS-2', text: `${'a'.repeat(70)}ê`, segments: 2 },
  { what: '35 emoji are 70 units', text: '🆘'.repeat(35), segments: 1 },
  { what: 'a surrogate pair is not split at the seam', text: `${'я'.repeat(66)}🆘${'я'.repeat(66)}`, segments: 3 },
]

for (const { what, text, segments } of lengths) {
  test(`segments of ${what}: ${segments}`, () => {
    assert.equal(segmentsOf(text), segments)
    for (const limit of [1, 2, 3]) assert.equal(fitsIn(text, limit), segments <= limit, `in ${limit}`)
  })
}

test('the alphabet has exactly its own accents', () => {
  assert.equal(isGsm7('àäåæèéìñòöøùüÄÅÆÇÉÑÖØÜß¡¿'), true)
  for (const missing of 'áâãçêëíîïóôõúûÀÁÂÈÊ’“”–…') assert.equal(isGsm7(missing), false, missing)
})

const names = [
  ['Jiří Novák', 'Jiri Novak'],
  ['Łukasz Żółć', 'Lukasz Zolc'],
  ['François', 'Francois'],
  ['O’Brien', "O'Brien"],
  ['Jürgen Müßig', 'Jürgen Müßig'],
  ['Ju\u0308rgen', 'Jürgen'],
  ['Søren Ærø', 'Søren Ærø'],
  ['Мария', 'Мария'],
  ['José 🆘', 'José 🆘'],
  ['José Иванов', 'José Иванов'],
  ['山田', '山田'],
] as const

for (const [name, inSms] of names) {
  test(`${name} is written ${inSms}`, () => assert.equal(withoutForeignAccents(name), inSms))
}
