import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fr } from '../../../console/texts/fr.ts'
import { ready } from '../../../console/texts/ready/fr.ts'
import { named } from '../../../src/adapters/inbound/http/tracking/named.ts'
import { de as dePage } from '../../../src/adapters/inbound/http/tracking/texts/de.ts'
import { verificationTexts } from '../../../src/adapters/inbound/http/verification/texts.ts'
import { silentDevicesText } from '../../../src/core/message/silent-devices.ts'
import { findingText } from '../../../src/core/readiness/text.ts'
import { asWritten, ofName } from '../../../src/core/text/grammar.ts'
import { languages } from '../../../src/core/text/own-texts.ts'
import { filled, phrases } from '../../../src/core/text/phrases.ts'

suite('grammar around names and numbers', () => {
  test('French elides before a vowel and a silent h', () => {
    const of = ['Paul', 'Anna', 'Élise', 'Yves', 'Yasmine', 'Hélène', 'Henri', 'Hans', 'Œdipe', '安娜'].map(ofName)
    assert.deepEqual(of, [
      ...['de Paul', 'd’Anna', 'd’Élise', 'd’Yves', 'de Yasmine', 'd’Hélène', 'd’Henri', 'de Hans', 'd’Œdipe'],
      'de 安娜',
    ])
    assert.match(verificationTexts(['fr']).title('Anna'), /contact d’urgence d’Anna/)
    assert.match(fr.toCallBack('Anna'), /le téléphone d’Anna,/)
    const contact = { id: 'c', name: 'Anna' }
    const { remedy } = findingText({ code: 'contact_declined', isBlocking: false, contact }, ['fr'])
    assert.equal(remedy, 'Vérifiez le numéro d’Anna.')
  })

  test('French is singular at 0', () => {
    assert.equal(fr.board.title(0), '0 alerte en cours')
    assert.equal(ready.drills.open(0), '0 EXERCICE')
    assert.equal(fr.board.title(2), '2 alertes en cours')
  })

  test('one more device, and several', () => {
    const said = (count: number) =>
      silentDevicesText(['it'], { app: 'App', fell: { named: ['A'], count }, back: { named: [], count: 0 } })
    assert.match(said(2), /A e un altro\./)
    assert.match(said(3), /A e altri 2\./)
  })

  test('a substitute for a name is written as its place wants it', () => {
    for (const language of languages) {
      const { somebody, alarm } = phrases[language]
      assert.ok(filled(alarm, { who: somebody }).includes(somebody), `${language}: begins its sentence`)
      assert.notEqual(asWritten(somebody, 'x '), somebody, `${language}: is another word inside`)
    }
    const { closedAnswered, endedByUser } = phrases.de
    assert.match(filled(closedAnswered, { who: 'Mia', name: 'Jemand', after: '24 h' }), /Antwort von jemandem hat/)
    assert.match(
      filled(endedByUser, { who: 'Jemand' }),
      /vom Telefon von jemandem aus .* Bitte rufen Sie jemanden an!$/,
    )
    assert.match(filled(phrases.en.answerHelps, { who: 'Someone', code: '1' }), /answer to someone's SOS/)
    assert.match(filled(phrases.it.closedAnswered, { who: 'Mia', name: 'Qualcuno', after: '1 h' }), /di qualcuno,/)
    assert.equal(named(['Jemand'], dePage.calling).text, 'Ich rufe jemanden an')
    assert.equal(named(['Jemand'], dePage.needsHelp).text, 'Jemand braucht Hilfe')
  })

  test('a name is never declined', () => {
    assert.equal(asWritten('Jemanda', 'von '), 'Jemanda')
    assert.equal(asWritten('Mia', 'von '), 'Mia')
  })
})
