import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerReplyText } from '../../../src/core/message/answer-texts.ts'
import { deliveryReport, type SmsAnswer, smsAnswer } from '../../../src/core/message/sms-answer.ts'
import { isGsm7, segmentsOf } from '../../../src/core/text/gsm7.ts'
import { filled, phrases } from '../../../src/core/text/phrases.ts'
import { processorMs } from '../../harness/processor-time.ts'

// sms.md#sms-answers.

const table: Readonly<Record<SmsAnswer['kind'], readonly (readonly [text: string, code?: string])[]>> = {
  help: [
    ['OK 47', '47'],
    ['ok 47', '47'],
    ['OK47', '47'],
    ['  Ok.47. ', '47'],
    ['O.K. 47', '47'],
    ['47 ok', '47'],
    ['"OK 47"', '47'],
    ['OK: 47!', '47'],
    ['Okay 470', '470'],
    ['Ja 47', '47'],
    ['Sì 47', '47'],
    ['Si\u0301 47', '47'],
    ['oui 47', '47'],
    ['OK 47 I am on my way', '47'],
    ['OK\n47', '47'],
    ['OK'],
    ['ok!'],
    ['O.K.'],
  ],
  unable: [['NO 47', '47'], ['Nein47', '47'], ['NON 47', '47'], ['no'], ['Nein.'], ['non !']],
  stop: [['STOP 47', '47'], ['Stop'], ['stopp!'], ['ARRÊT 47', '47'], ['arret'], ['baja'], ['Basta.']],
  start: [['START 47', '47'], ['start'], ['Inizia']],
  unclear: [['47'], ['Ja'], ['sì'], ['yes!']],
  other: [
    ['OK, who is this?'],
    ['ok ok'],
    ['Stop, I am on my way'],
    ['start without me'],
    ['no idea what you mean'],
    ['I am on my way'],
    ['OKLAHOMA 47'],
    ['NORA 47'],
    ['OK 12345'],
    ['OK 4'],
    ['47 48'],
    ['call 47'],
    [''],
    ['...'],
    ['I am out of office and will answer on Monday'],
  ],
}

for (const [kind, texts] of Object.entries(table)) {
  for (const [text, code = null] of texts) {
    test(`${JSON.stringify(text)} is ${kind}${code === null ? '' : ` with ${code}`}`, () => {
      const isAnswer = kind !== 'unclear' && kind !== 'other'
      assert.deepEqual(smsAnswer(text), isAnswer ? { kind, code } : { kind })
    })
  }
}

test('of a text of any length only the beginning is looked at', async () => {
  const text = `OK 47 ${'47 '.repeat(1_000_000)}`
  assert.deepEqual(smsAnswer(text), { kind: 'help', code: '47' })
  assert.ok((await processorMs(1000, () => smsAnswer(text))) < 1000)
})

test('a report of the network is one word', () => {
  assert.deepEqual(['Delivered', ' Failed\n', 'delivered it'].map(deliveryReport), ['delivered', 'failed', null])
})

for (const [language, words] of Object.entries(phrases)) {
  test(`${language} asks for answers that are understood`, () => {
    const asked = [...filled(words.answer, { code: '47' }).matchAll(/(\p{L}+) 47/gu)].map(([text]) => smsAnswer(text))
    assert.deepEqual(asked, [
      { kind: 'help', code: '47' },
      { kind: 'unable', code: '47' },
    ])
    for (const phrase of [words.answerHelps, words.answerUnable]) {
      const [text = ''] = /\p{L}+ 47/u.exec(filled(phrase, { who: 'Mia', code: '47' })) ?? []
      assert.equal(smsAnswer(text).kind, phrase === words.answerHelps ? 'unable' : 'help')
    }
  })

  test(`${language} replies in two segments of the SMS alphabet at most, and names nobody of an alert that is over`, () => {
    const who = 'W'.repeat(40)
    const alerts = [10, 11, 12, 13, 14].map((code) => ({ who: `Mia ${code}`, code: String(code) }))
    for (const reply of [
      { kind: 'help', who, code: '470' },
      { kind: 'unable', who, code: '470' },
      { kind: 'which', alerts },
      { kind: 'over' },
    ] as const) {
      const text = answerReplyText([language], reply)
      assert.ok(isGsm7(text) && segmentsOf(text) <= 2, text)
    }
    assert.doesNotMatch(answerReplyText([language], { kind: 'over' }), /\{/)
    assert.match(answerReplyText([language], { kind: 'which', alerts }), /OK 10 \S+ Mia 10, OK 11 /)
  })
}
