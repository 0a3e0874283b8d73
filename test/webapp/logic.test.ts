import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AlarmState, SosMessage } from '../../sdk/src/index.ts'
import { addedPhones } from '../../webapp/logic/added-phones.ts'
import { alarmWords } from '../../webapp/logic/alarm-words.ts'
import { cardChanges } from '../../webapp/logic/card-changes.ts'
import { nextAt } from '../../webapp/logic/due.ts'
import { areEnough, type Presses, pressedAt } from '../../webapp/logic/gesture.ts'
import { isAbroad, numberIn } from '../../webapp/logic/number.ts'
import { smsLink, smsSosIn } from '../../webapp/logic/sms.ts'
import { chosenStill, readersLine, sourceOf, withMessages } from '../../webapp/logic/talk-words.ts'
import { en } from '../../webapp/texts/en.ts'

test('three presses within three seconds call for help, and fewer or slower ones do not', () => {
  const after = (times: readonly number[]): boolean =>
    areEnough(times.reduce<Presses>((presses, at) => pressedAt(presses, at), []))
  for (const [times, calls] of [
    [[0, 400, 800], true],
    [[0, 1400, 2900], true],
    [[0, 400], false],
    [[0, 1600, 3100], false],
    [[0, 5000, 5400, 5800], true],
    // A clock that was set back forgets what it cannot place.
    [[9000, 9100, 50], false],
  ] as const)
    assert.equal(after(times), calls, times.join())
})

test('numbers as people write them', () => {
  for (const [text, country, number] of [
    ['0664 123 45 67', 'AT', '+436641234567'],
    ['+43 (0) 664 / 123-45-67', null, '+436641234567'],
    ['0041 79 123 45 67', 'AT', '+41791234567'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['347 1234567', 'IT', '+393471234567'],
    ['06 1234567', 'IT', '+39061234567'],
    ['612 345 678', 'ES', '+34612345678'],
    ['0664 1234567', null, null],
    ['0664 1234567', 'XX', null],
    ['112', 'AT', null],
    ['+0664123456', 'AT', null],
    ['call me', 'AT', null],
    ['', 'AT', null],
    ['+436641234567;ext=1', 'AT', null],
  ] as const)
    assert.equal(numberIn(text, country), number, text)
})

test('a phone that was added is pointed out as long as it can be removed at once, whoever looks at the list', () => {
  const phone = (id: string) => ({ id, isThis: id === 'this', leavesAtOnce: ['this', 'new'].includes(id) })
  const phones = ['this', 'before', 'weekOld', 'new'].map(phone)
  const added = (known: readonly string[]) => addedPhones(phones, known).map(({ id }) => id)
  assert.deepEqual(added(['this', 'before', 'weekOld', 'new']), ['new'])
  assert.deepEqual(added(['this', 'before']), ['weekOld', 'new'])
})

test('a number of another country is told apart from a wrong one', () => {
  assert.deepEqual([isAbroad('+4930123456', 'AT'), isAbroad('+436641234567', 'AT')], [true, false])
  assert.equal(isAbroad('+4930123456', null), false)
})

test('a time is the next moment at which a clock shows it', () => {
  const at = (time: string, now: string) => {
    const due = nextAt(time, Date.parse(now))
    return due === null ? null : new Date(due).toISOString()
  }
  const local = (text: string) => new Date(text).toISOString()
  assert.equal(at('18:00', local('2026-03-01T09:00')), local('2026-03-01T18:00'))
  assert.equal(at('18:00', local('2026-03-01T18:00')), local('2026-03-02T18:00'))
  assert.equal(at('00:30', local('2026-12-31T23:59')), local('2027-01-01T00:30'))
  for (const text of ['', '24:00', '12:60', 'noon', '18']) assert.equal(nextAt(text, 0), null, text)
})

test('the SMS says SOS, where, and the code that makes it the person’s own', () => {
  const place = { latitude: 47.0638, longitude: 12.692099 }
  for (const [code, at, body] of [
    [null, null, 'SOS'],
    [null, place, 'SOS%2047.06380%2C12.69210'],
    ['4711', place, 'SOS%2047.06380%2C12.69210%204711'],
    ['4711', null, 'SOS%204711'],
  ] as const)
    assert.equal(smsLink({ number: '+43660', code }, at), `sms:+43660?&body=${body}`)
  for (const [smsSos, known] of [
    [
      { number: '+436641', code: '4711', from: '+43660' },
      { number: '+436641', code: '4711' },
    ],
    [
      { number: '+436641', code: null, from: null },
      { number: '+436641', code: null },
    ],
    [{ number: null, code: null, from: null }, null],
    [{ number: '+43?body=x', code: null }, null],
    [null, null],
    [undefined, null],
  ] as const)
    assert.deepEqual(smsSosIn({ id: 'x', smsSos }), known)
  assert.equal(smsSosIn(null), null)
})

const KEPT: AlarmState = {
  step: 'kept',
  kept: true,
  pressedAt: '2026-03-01T12:04:05Z',
  onServerAt: null,
  incidentId: null,
  silent: false,
  helpers: [],
  helped: false,
  contacts: [],
  putOff: null,
  ending: null,
  pressedAgain: false,
  over: null,
  refused: [],
  trouble: null,
}
const AT = '2026-03-01T12:04:07Z'
const channel = (name: string, status: 'scheduled' | 'sent' | 'delivered' | 'failed' | 'skipped') => ({
  channel: name,
  status,
})
const person = (name: string, status: 'scheduled' | 'sent' | 'failed', ...channels: ReturnType<typeof channel>[]) => ({
  contactId: name,
  name,
  status,
  channels,
})
const says = (change: Partial<AlarmState>) => {
  const { tone, headline, lines } = alarmWords(
    { ...KEPT, ...change },
    { t: en.alarm, time: (iso) => iso.slice(11, 19) },
  )
  return [tone, headline, ...lines]
}
const [NOT_YET, ON_SERVER] = ['NOT on the server yet: trying again.', 'On the server 12:04:07']
const onServer = { step: 'onServer', onServerAt: AT } as const
const alerted = { step: 'alerted', onServerAt: AT } as const
const coming = { contactId: 'Ana', name: 'Ana', kind: 'contact', answer: 'coming', eta: 10, at: AT } as const

const stories: readonly (readonly [name: string, change: Partial<AlarmState>, said: readonly string[]])[] = [
  ['nobody knows of it', {}, ['bad', NOT_YET]],
  ['why', { trouble: 'no_network' }, ['bad', NOT_YET, 'No connection.']],
  ['a phone that stores nothing', { kept: false }, ['bad', NOT_YET, en.alarm.stayOpen]],
  ['after the 2xx', onServer, ['going', ON_SERVER, en.alarm.soon]],
  [
    'the first SMS has left',
    {
      ...alerted,
      contacts: [
        person('Georg', 'sent', channel('sms', 'sent'), channel('voice', 'scheduled')),
        person('Ana', 'scheduled', channel('sms', 'scheduled')),
        person('Ben', 'scheduled', channel('sms', 'scheduled')),
      ],
    },
    ['going', ON_SERVER, 'Georg was sent an SMS', 'Ana is told next'],
  ],
  [
    'one cannot be reached, another was called',
    {
      ...alerted,
      contacts: [
        person('Georg', 'failed', channel('sms', 'failed'), channel('voice', 'failed')),
        person('Ana', 'sent', channel('sms', 'sent'), channel('voice', 'delivered')),
      ],
    },
    ['going', ON_SERVER, 'Georg could not be reached', 'Ana was called'],
  ],
  [
    'somebody comes, another had called before',
    {
      ...alerted,
      step: 'coming',
      helped: true,
      helpers: [{ ...coming, contactId: 'Georg', name: 'Georg', answer: 'calling', eta: null }, coming],
      contacts: [person('Ana', 'sent', channel('sms', 'sent')), person('Ben', 'sent', channel('sms', 'delivered'))],
    },
    ['good', 'Ana is coming, 10\u00a0min', ON_SERVER, 'Georg is calling you', 'Ben was sent an SMS'],
  ],
  [
    'two of one name: the one who was only told has a line of her own',
    {
      ...alerted,
      step: 'coming',
      helped: true,
      helpers: [coming],
      contacts: [
        person('Ana', 'sent', channel('sms', 'sent')),
        { ...person('Ana', 'failed', channel('sms', 'failed')), contactId: 'another Ana' },
      ],
    },
    ['good', 'Ana is coming, 10\u00a0min', ON_SERVER, 'Ana could not be reached'],
  ],
  [
    'the only helper has withdrawn',
    { ...alerted, step: 'coming', helpers: [{ ...coming, answer: 'unable', eta: null }] },
    ['going', ON_SERVER, en.alarm.nobodyNow, 'Ana cannot come'],
  ],
  [
    'an operator',
    {
      ...alerted,
      step: 'coming',
      helped: true,
      helpers: [{ ...coming, contactId: null, name: null, kind: 'operator', answer: 'answered' }],
    },
    ['good', 'The rescue desk has your alarm', ON_SERVER],
  ],
  ['a stuck button', { ...onServer, putOff: '2026-03-01T12:30:00Z' }, ['bad', en.alarm.putOff('12:30:00')]],
  [
    'an end on its way',
    { ...alerted, ending: 'cancel', trouble: 'no_network' },
    ['going', en.alarm.ending, 'No connection.'],
  ],
  ['pressed again elsewhere', { ...alerted, pressedAgain: true }, ['going', ON_SERVER, en.alarm.pressedAgain]],
  ['taken back before it left', { step: 'over', over: 'ended' }, ['over', en.alarm.takenBack]],
  [
    'taken back within the grace period',
    { step: 'over', over: 'cancelled', onServerAt: AT },
    ['over', en.alarm.takenBack],
  ],
  [
    'ended after somebody was told',
    { step: 'over', over: 'cancelled', onServerAt: AT, contacts: [person('Ana', 'sent', channel('sms', 'sent'))] },
    ['over', en.alarm.takenBackTold],
  ],
  ['ended by others', { step: 'over', over: 'resolved', onServerAt: AT }, ['over', en.alarm.isOver]],
  ['ended, nobody knows how', { step: 'over', over: 'ended', onServerAt: AT }, ['over', en.alarm.isOver]],
  ['refused for good', { step: 'over', over: 'refused' }, ['bad', en.alarm.refused]],
]
for (const [name, change, said] of stories)
  test(`what the screen says: ${name}`, () => assert.deepEqual(says(change), said))

test('no state before the answer of the service says that it is on the server', () => {
  const known = /on the server \d|was sent|was called|coming/i
  for (const trouble of [null, 'no_network', 'busy', 'unauthorized', 'not_the_service'] as const)
    for (const kept of [true, false]) assert.doesNotMatch(says({ trouble, kept }).join(' '), known)
})

test('of a card only what was changed is sent: a tick stays for the number it was made for', () => {
  const card = {
    ...{ languages: ['de'], hearing: null, yearOfBirth: 1961, peopleWithMe: null, vehicle: 'Bus', note: null },
    ...{ contactIds: ['b', 'a'], updatedAt: AT },
  }
  assert.deepEqual(cardChanges(card, { ...card, contactIds: ['a', 'b'], note: '  ', vehicle: ' Bus ' }), {})
  const typed = { ...card, vehicle: '', note: ' Insulin ', contactIds: ['a'], languages: ['de', 'en'] }
  assert.deepEqual(cardChanges(card, typed), {
    ...{ languages: ['de', 'en'], vehicle: null, note: 'Insulin', contactIds: ['a'] },
  })
})

suite('who reads and who wrote', () => {
  const eva = { kind: 'operator', contactId: null, name: 'Eva', now: true } as const
  const ana = { kind: 'contact', contactId: 'ana', name: 'Ana', now: true } as const
  const ben = { ...ana, contactId: 'ben', name: 'Ben', now: false } as const
  for (const [readers, to, said] of [
    [[eva, ana, ben], 'all', 'It is read by Eva (rescue desk), Ana. Once they help, also Ben.'],
    [[eva, ana], 'desk', 'Only the rescue desk reads it: Eva.'],
    [[ana], 'all', `It is read by Ana. ${en.talk.deskEmpty}`],
    [[ben], 'all', `${en.talk.deskEmpty} Once they help, also Ben.`],
    [[ana], 'desk', en.talk.deskEmpty],
    [[], 'all', en.talk.deskEmpty],
  ] as const) {
    test(said, () => assert.equal(readersLine({ readers }, to, en.talk), said))
  }

  const message = (n: number, from: object): SosMessage =>
    ({ n, text: `${n}`, from: { name: 'Mia', phone: null, channel: 'app', ...from } }) as SosMessage
  test('each message names the phone or account that it came from, and is there once', () => {
    const [own, sms] = [message(1, { kind: 'person' }), message(2, { kind: 'person', channel: 'sms', phone: '+431' })]
    const [contact, desk] = [
      message(3, { kind: 'contact', name: 'Ana', phone: '+432' }),
      message(4, { kind: 'operator' }),
    ]
    // Somebody leaves the desk while the person writes to it alone.
    const after = (chosen: 'all' | 'desk' | null, before: 'all' | 'desk' | undefined, next: 'all' | 'desk') =>
      chosenStill(chosen, { before, next })
    assert.equal(after(null, 'desk', 'all'), 'desk')
    assert.deepEqual([after(null, 'all', 'desk'), after(null, undefined, 'all')], [null, null])
    assert.deepEqual([after('all', 'desk', 'all'), after('desk', 'all', 'desk')], ['all', 'desk'])
    const all = withMessages([own, contact], [desk, sms, contact], 3)
    assert.deepEqual(
      all.map((one) => sourceOf(one, en.talk)),
      ['By SMS from +431, may be forged', 'Ana, +432', 'Rescue desk: Mia'],
    )
    assert.equal(sourceOf(own, en.talk), en.talk.own)
  })
})
