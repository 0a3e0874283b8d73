import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTwiml } from '../../../../src/adapters/outbound/twilio/twiml.ts'
import { phrases } from '../../../../src/core/text/phrases.ts'
import { listenTo, verbsOf } from '../../../harness/twilio-phone.ts'

const ACTION = 'https://sos.example.org/twilio/0190.3/call'
const TEXT = 'Mia needs help.'

async function hear(twiml: string) {
  return listenTo(twiml, [], async () => assert.fail('nothing was pressed'))
}

test('without a key press the question is asked three times, and the link is mentioned at the end', async () => {
  const { spokenKeys, spokenNoKey, spokenLink, spokenGoodbye } = phrases.en
  const { said, ended } = await hear(callTwiml({ text: TEXT, language: 'en', action: ACTION }))
  const round = [TEXT, spokenKeys, spokenNoKey]
  assert.deepEqual(said, [...round, ...round, ...round, spokenLink, spokenGoodbye])
  assert.equal(ended, 'hung up')
})

test('a call that cannot hear keys says so, in every language', async () => {
  for (const [language, { spokenKeyless }] of Object.entries(phrases)) {
    const { said } = await hear(callTwiml({ text: TEXT, language, action: null, isKeyless: true }))
    assert.deepEqual(said, [TEXT, spokenKeyless, TEXT, spokenKeyless])
  }
})

test('a call without a question is said twice, and mentions no key', async () => {
  const twiml = callTwiml({ text: TEXT, language: 'en', action: null })
  const { said, ended } = await hear(twiml)
  assert.deepEqual(said, [TEXT, TEXT])
  assert.equal(ended, 'hung up')
  assert.doesNotMatch(twiml, /Gather/)
})

for (const [language, tag] of Object.entries({
  en: 'en-GB',
  de: 'de-DE',
  'de-AT': 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  it: 'it-IT',
  pt: 'en-GB',
})) {
  test(`a text in ${language} is spoken by ${tag}`, async () => {
    const { languages } = await hear(callTwiml({ text: TEXT, language, action: ACTION }))
    assert.deepEqual([...new Set(languages)], [tag])
  })
}

test('text cannot become markup', async () => {
  const text = `</Say><Hangup/> & "it's" <Dial>+1</Dial> \u0000\u0007\ufffe \ud800 ]]>`
  const twiml = callTwiml({ text, language: 'en', action: `${ACTION}"&<` })
  const { said } = await hear(twiml)
  assert.equal(said[0], `</Say><Hangup/> & "it's" <Dial>+1</Dial>  \ufffd ]]>`)
  assert.deepEqual(
    verbsOf(twiml)!.map(({ name }) => name),
    ['Gather', 'Say', 'Gather', 'Say', 'Gather', 'Say', 'Say', 'Say', 'Hangup'],
  )
})

test('however long the text, it fits together with what follows', async () => {
  for (const sign of ['a', '"', '🏔']) {
    for (const length of [10, 500, 900, 1_500, 5_000]) {
      for (const action of [ACTION, null]) {
        const twiml = callTwiml({ text: sign.repeat(length), language: 'fr', action })
        assert.ok(twiml.length <= 4_000, `${sign} ${length}: ${twiml.length}`)
        const { said, ended } = await hear(twiml)
        assert.equal(ended, 'hung up')
        assert.ok(said[0]!.startsWith(sign))
        if (action !== null) assert.equal(said.at(-1), phrases.fr.spokenGoodbye)
      }
    }
  }
})
