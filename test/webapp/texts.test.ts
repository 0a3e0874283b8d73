import assert from 'node:assert/strict'
import { test } from 'node:test'
import { de } from '../../webapp/texts/de.ts'
import { en } from '../../webapp/texts/en.ts'
import { es } from '../../webapp/texts/es.ts'
import { fr } from '../../webapp/texts/fr.ts'
import { it } from '../../webapp/texts/it.ts'

/** Every text by its path; those with a value get one. */
function textsOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, String(value('Ana', 7))]]
  return Object.entries(value as object).flatMap(([key, inner]) => textsOf(inner, path === '' ? key : `${path}.${key}`))
}

/** The same in another language. */
const SHARED = /^(?:sos\.button|views\.home)$/
const english = new Map(textsOf(en))

for (const [language, texts] of Object.entries({ de, fr, it, es })) {
  test(`every text is there in ${language}, in its own words, and as short as it must be`, () => {
    const own = textsOf(texts)
    assert.deepEqual(own.map(([path]) => path).toSorted(), [...english.keys()].toSorted())
    const same = own.filter(([path, text]) => english.get(path) === text && !SHARED.test(path))
    assert.deepEqual(
      same.filter(([, text]) => !/^(Name|Contacts?|Code|Messages)$/.test(text)),
      [],
    )
    for (const [path, text] of own) {
      if (path.startsWith('views.')) assert.ok(text.length <= 11, `${path}: ${text}`)
      if (path === 'alarm.notYet') assert.ok(text.length <= 50, text)
      assert.doesNotMatch(text, /undefined|\[object/, path)
      // Else a line begins with the sign.
      if (language === 'fr') assert.doesNotMatch(text, / [:;?!»]|« /, path)
    }
  })
}
