import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGsm7 } from '../../../src/core/text/gsm7.ts'
import { filled, phrases, textLanguage } from '../../../src/core/text/phrases.ts'
import { type PhraseKey, placeholders } from '../../../src/core/text/placeholders.ts'

const keys = Object.keys(placeholders) as PhraseKey[]

for (const [language, words] of Object.entries(phrases)) {
  test(`${language} has every phrase, with exactly its placeholders`, () => {
    assert.deepEqual(Object.keys(words).sort(), [...keys].sort())
    for (const key of keys) {
      const named = [...words[key].matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      // A name may occur twice: the person in danger, and whom to call.
      assert.deepEqual([...new Set(named)].sort(), [...placeholders[key]].sort(), key)
      assert.equal(words[key].replace(/\{\w+\}/g, '').trim() === '', false, `${key} says something`)
    }
  })

  test(`${language} keeps to the GSM alphabet in phrases for SMS`, () => {
    for (const key of keys.filter((name) => !name.startsWith('spoken'))) {
      // The braces of the placeholders are not sent.
      assert.ok(isGsm7(words[key].replace(/\{\w+\}/g, '')), `${key}: ${words[key]}`)
    }
  })
}

const preferences = [
  { preferred: ['de'], language: 'de' },
  { preferred: ['de-AT'], language: 'de' },
  { preferred: ['FR-ca'], language: 'fr' },
  { preferred: ['deu'], language: 'de' },
  { preferred: ['pt-BR', 'es'], language: 'es' },
  { preferred: ['pt', 'ja'], language: 'en' },
  { preferred: [], language: 'en' },
  { preferred: ['not a tag', 'it'], language: 'it' },
  { preferred: ['constructor'], language: 'en' },
]

for (const { preferred, language } of preferences) {
  test(`a reader who prefers [${preferred}] gets ${language}`, () => assert.equal(textLanguage(preferred), language))
}

test('a value that looks like a placeholder stays a value', () => {
  assert.equal(filled('{who} at {map}', { who: '{map} $& $1', map: 'M' }), '{map} $& $1 at M')
})

const fillings: readonly (readonly [phrase: string, text: string])[] = [
  ['{who} needs help. Call {who}', 'Mia needs help. Call Mia'],
  ['no placeholder', 'no placeholder'],
  ['', ''],
  ['{who}{n}', 'Mia7'],
  ['{nobody} and {} stay', '{nobody} and {} stay'],
  ['{ {who} } {{who}} {a{who}', '{ Mia } {Mia} {aMia'],
  ['} {who', '} {who'],
  ['a } b {who} } c', 'a } b Mia } c'],
  ['{toString} {__proto__}', '{toString} {__proto__}'],
]

for (const [phrase, text] of fillings) {
  test(`“${phrase}”, filled`, () => assert.equal(filled(phrase, { who: 'Mia', n: '7' }), text))
}
