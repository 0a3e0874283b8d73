import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { smsSos } from '../../../src/core/message/sms-sos.ts'
import { processorMs } from '../../harness/processor-time.ts'

const HERE = { latitude: 47.0638, longitude: 12.6921 }
const BOUND_MS = 100

suite('an SOS by SMS', () => {
  test('begins with its word, in five languages, however it is written', () => {
    const sos = ['SOS', 'sos', ' S.O.S. ', 'S O S', 'Sos!', '🆘', '"SOS"', 'ＳＯＳ', '\u200eSOS', 'S-O-S', 'СОС', 'σος']
    const help = [
      'Help',
      'mayday',
      'Emergency!',
      'HILFE',
      'Notfall',
      'Notruf',
      'au secours',
      'Secours',
      'AIDE',
      'urgence',
    ]
    for (const text of sos) assert.deepEqual(smsSos(text), bare('sos'), text)
    for (const text of [...help, 'aiuto', 'Soccorso', 'emergenza', 'ayuda', 'SOCORRO', 'auxilio', 'emergencia'])
      assert.deepEqual(smsSos(text), bare('help'), text)
  })

  test('any other text is none', () => {
    const others = [
      '',
      ' ',
      'OK 1234',
      'NO 1234',
      'STOP',
      'Sosnowiec',
      'SOSPESO',
      'Helpdesk',
      'this is no SOS',
      '112',
      'Delivered',
    ]
    for (const text of [...others, 'TEST SOS', 'Hilfestellung', 'assos', 'сосна'])
      assert.equal(smsSos(text), null, text)
  })

  test('has a position in the forms that people and phones write', () => {
    for (const written of [
      '47.06380,12.69210',
      '٤٧٫٠٦٣٨، ١٢٫٦٩٢١',
      '۴۷.۰۶۳۸ ۱۲.۶۹۲۱',
      '४७.०६३८,१२.६९२१',
      '47.06380, 12.69210',
      '47.0638 12.6921',
      '47,0638 12,6921',
      '47,0638; 12,6921',
      '47,0638, 12,6921',
      'N47.0638 E12.6921',
      'N 47.0638, O 12.6921',
      '47.0638N 12.6921E',
      '47.0638° N, 12.6921° E',
      '47.0638°, 12.6921°',
      `N47° 03.828' E12° 41.526'`,
      `47°03'49.68"N 12°41'31.56"E`,
      '47°03′49.68″N, 12°41′31.56″E',
      'https://maps.google.com/?q=47.0638,12.6921',
      'https://www.google.com/maps/@47.0638,12.6921,17z',
      'https://maps.apple.com/?ll=47.0638%2C12.6921&z=3',
      'https://www.openstreetmap.org/?mlat=47.0638&mlon=12.6921#map=16/47.0638/12.6921',
      'geo:47.0638,12.6921?z=15',
    ])
      assert.deepEqual(smsSos(`SOS ${written}`), { ...bare('sos'), place: HERE }, written)
    assert.deepEqual(smsSos('sos47.06380,12.69210')?.place, HERE)
    assert.deepEqual(smsSos('SOS -33.92,-70.5')?.place, null, 'one decimal is no position')
    assert.deepEqual(smsSos('SOS -33.92,-70.51')?.place, { latitude: -33.92, longitude: -70.51 })
    assert.deepEqual(smsSos(`SOS S33°55'12" W70°30'36"`)?.place, { latitude: -33.92, longitude: -70.51 })
  })

  test('a position that is none stays in the note and costs nothing', () => {
    for (const written of [
      '97.0638,12.6921',
      '47.0638,192.6921',
      `N47°63.8' E12°41'`,
      '47 12',
      '47.0638',
      '1.2.3.4,5.6',
    ]) {
      const sos = smsSos(`SOS ${written}`)
      assert.deepEqual([sos?.place, sos?.note], [null, `SOS ${written}`], written)
    }
  })

  test('has a code of four digits, first or last', () => {
    const coded = { ...bare('sos'), code: '4711' }
    for (const text of ['SOS 4711', 'SOS4711', 'sos: 4711.', 'SOS  (4711)', 'SOS ٤٧١١'])
      assert.deepEqual(smsSos(text), coded, text)
    for (const text of ['SOS 47.0638,12.6921 4711', 'SOS 4711 47.0638,12.6921', 'SOS 4711 N47.0638 E12.6921'])
      assert.deepEqual(smsSos(text), { ...coded, place: HERE }, text)
    for (const text of ['SOS 471', 'SOS 47112', 'SOS room 4711b', 'SOS 4711 is not my room'])
      assert.equal(smsSos(text)?.isBare, false, text)
    assert.equal(smsSos('SOS broken leg 4711')?.code, '4711')
    assert.equal(smsSos('SOS room 4711 2nd floor')?.code, null)
  })

  test('keeps what else was said', () => {
    const said = 'SOS Bein gebrochen, 47.0638,12.6921'
    assert.deepEqual(smsSos(said), { word: 'sos', place: HERE, code: null, isBare: false, note: said })
    assert.equal(smsSos('Hilfe ist unterwegs')?.isBare, false)
  })

  test('takes time in proportion to a hostile text', async () => {
    for (const part of [
      '47.',
      '1',
      '47,0638 ',
      `N47°3'`,
      '-',
      '47.0638,',
      ' ',
      'S O ',
      'LAT=1.1&',
      '\u200e',
      "1'",
      '🆘',
      '°',
    ]) {
      const ms = await processorMs(BOUND_MS, () => smsSos(`SOS ${part.repeat(100_000)}`))
      assert.ok(ms < BOUND_MS, `${part}: ${ms} ms`)
    }
  })
})

const bare = (word: 'sos' | 'help') => ({ word, place: null, code: null, isBare: true, note: '' })
