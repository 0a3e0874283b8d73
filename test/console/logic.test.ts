import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ageOf, clockOffset, countdown } from '../../console/logic/age.ts'
import { failuresAfter, pauseMs } from '../../console/logic/backoff.ts'
import { type Choice, found, named } from '../../console/logic/choice.ts'
import { countries } from '../../console/logic/countries.ts'
import { fileText } from '../../console/logic/file-text.ts'
import { intervalOf, minutesOf, type Unit } from '../../console/logic/interval.ts'
import { byUrgency, merged, moved, windowOf } from '../../console/logic/order.ts'
import { nextItems } from '../../console/logic/pages.ts'
import { personName } from '../../console/logic/person-name.ts'
import { parsePlain, readable } from '../../console/logic/plain-text.ts'
import { awaitedMessage } from '../../console/logic/press.ts'
import { hashOf, routeOf, trackerHash, userHash } from '../../console/logic/route.ts'
import { eventReader, type StreamEvent } from '../../console/logic/sse.ts'
import { timeZones } from '../../console/logic/time-zones.ts'
import { groupsOf } from '../../console/logic/timeline.ts'
import { numberGiven, numberOf } from '../../console/logic/typed-number.ts'
import { waitingFor } from '../../console/logic/waiting.ts'
import { wallItems, wallPlan } from '../../console/logic/wall.ts'
import { digitGroups } from '../../console/parts/digit-groups.ts'
import { countryCodes } from '../../src/core/account/country-codes.ts'
import { silentAfterMinutesField } from '../../src/core/account/silence.ts'
import { APP_ID, idOf, itemOf } from './items.ts'

const NOW = Date.parse('2026-03-01T02:00:00Z')

suite('the logic of the console', () => {
  const ages: readonly (readonly [ms: number, text: string])[] = [
    [-5000, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [119_999, '1 min'],
    [120_000, '2 min'],
    [119 * 60_000, '119 min'],
    [120 * 60_000, '2 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
  ]
  for (const [ms, text] of ages) {
    test(`${ms} ms are ${text}`, () => {
      const { count, unit } = ageOf(ms)
      assert.equal(`${count} ${unit}`, text)
    })
  }

  const numbers = [
    ['+436601234567', '+43 660 123 4567'],
    ['+12025550123', '+1 202 555 0123'],
    ['+35312345678', '+353 123 456 78'],
    ['+4366012345', '+43 660 123 45'],
    ['+43', '+43'],
    ['112', '112'],
    ['+43 660 1', '+43 660 1'],
  ] as const
  test('a number is read out in groups, and stays whole where it is in no known form', () => {
    for (const [number, groups] of numbers) assert.equal(digitGroups(number).join(' '), groups)
  })

  test('a typed number loses what stands between its digits, and a zero that is dialled only at home', () => {
    assert.equal(numberOf('0043 (0)660 / 123-4567'), '+436601234567')
    assert.equal(numberOf('0660 1234567'), null)
    assert.equal(numberGiven(' 0660 1234567'), '0660 1234567')
  })

  test('a file of a spreadsheet is read in the three ways in which they write text', () => {
    const [text, ...forms] = ['Jörg', '\ufeffJörg', 'J\u00f6rg']
    const bytesOf = (bytes: Uint8Array) => new Uint8Array(bytes).buffer
    assert.equal(fileText(bytesOf(Buffer.from(forms[0]!, 'utf8'))), text)
    assert.equal(fileText(bytesOf(Buffer.from(forms[0]!, 'utf16le'))), text)
    assert.equal(fileText(bytesOf(Buffer.from(forms[1]!, 'latin1'))), text)
  })

  test('countries and time zones are found by their names in the language of the page, and are sent as codes', () => {
    const codes = (choices: readonly Choice[]): readonly string[] => choices.map(({ code }) => code)
    const [german, italian] = [countries('de'), timeZones('it')]
    assert.equal(german.length, countryCodes.length)
    assert.equal(named(german, 'österreich')?.code, 'AT')
    assert.equal(named(german, 'at')?.name, 'Österreich')
    assert.equal(named(german, 'öster'), undefined)
    assert.deepEqual(codes(found(german, 'OSTER')), ['AT'])
    assert.deepEqual(codes(found(german, 'konig verei')), ['GB'])
    assert.deepEqual(found(german, 'x y z'), [])
    assert.equal(found(german, ' ').length, german.length)
    assert.equal(new Set(italian.map(({ name }) => name)).size, italian.length)
    for (const typed of ['austria', 'vienna', 'Europe/Vienna', 'wien'])
      assert.deepEqual(codes(found(italian, typed)), ['Europe/Vienna'], typed)
    assert.equal(named(italian, 'europe/rome')?.name, 'Italia – Rome')
    for (const { code } of italian) assert.equal(named(italian, code)?.code, code)
  })

  const intervals: readonly (readonly [count: string, unit: Unit, minutes: number | null])[] = [
    ['15', 'min', 15],
    ['90', 'min', 90],
    [' 6 ', 'h', 360],
    ['2', 'd', 2880],
    ['30', 'd', 43_200],
    ['14', 'min', null],
    ['31', 'd', null],
    ['0', 'h', null],
    ['-6', 'h', null],
    ['1e3', 'min', null],
    ['1.5', 'h', null],
    ['', 'h', null],
  ]
  for (const [count, unit, minutes] of intervals) {
    test(`“${count}” ${unit} without a word ${minutes === null ? 'is refused' : `are ${minutes} min`}`, () => {
      assert.equal(minutesOf(count, unit), minutes)
      if (minutes === null) return
      assert.ok(silentAfterMinutesField.safeParse(minutes).success, 'the service takes it')
      const shown = intervalOf(minutes)
      assert.equal(minutesOf(String(shown.count), shown.unit), minutes)
    })
  }

  test('each view is found again by the word that bookmarks have', () => {
    const views = ['board', 'wall', 'history', 'users', 'trackers', 'settings', 'system', 'start', 'account'] as const
    assert.deepEqual(
      views.map((view) => [hashOf(view), routeOf(hashOf(view))]),
      ['#/', '#/wall', '#/history', '#/people', '#/devices', '#/settings', '#/system', '#/start', '#/account'].map(
        (hash, n) => [hash, { view: views[n] }],
      ),
    )
    assert.equal(userHash('7'), '#/person/7')
    assert.deepEqual(routeOf('#/person/7'), { view: 'user', id: '7' })
    assert.deepEqual(routeOf('#/users'), { view: 'board' })
  })

  test('the page of a tracker is found by any hardware id, and an address that cannot be read leads to the board', () => {
    for (const hardwareId of ['A84041FFFF1234', 'anna phone/1', 'a84041:ff', '100 %', '#/x?y&z', 'Tür ☎']) {
      const address = trackerHash(APP_ID, hardwareId)
      assert.deepEqual(routeOf(address), { view: 'tracker', applicationId: APP_ID, hardwareId })
    }
    for (const address of ['#/device', `#/device/${APP_ID}`, `#/device/${APP_ID}/%E0%A4%A`, '#/device/a b/x']) {
      assert.deepEqual(routeOf(address), { view: 'board' }, address)
    }
  })

  test('a countdown counts whole seconds and ends at zero', () => {
    assert.deepEqual(
      [countdown(245_000), countdown(59_001), countdown(1), countdown(-9000)],
      ['4:05', '1:00', '0:01', '0:00'],
    )
  })

  test('the offset of the clocks follows a step, and not the seconds of a Date header', () => {
    assert.equal(clockOffset(null, 5000, 4400, 4600), 1000)
    assert.equal(clockOffset(1000, 6000, 5000, 5000), 1000)
    assert.equal(clockOffset(1000, 3_600_000, 0, 0), 3_600_500)
    // A slow network says little, and a laptop that slept meanwhile nothing.
    assert.equal(clockOffset(1000, 6000, 5000, 15_000), 1000)
    assert.equal(clockOffset(1000, 6000, 5000, 7_200_000), 1000)
  })

  const after = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()
  test('a new alarm counts down to its first message, and nobody was reached if that does not come', () => {
    const item = { urgency: 0, firstMessage: { channel: 'sms', at: after(8) } } as const
    const awaited = [0, 8, 37].map((seconds) => awaitedMessage(item, NOW + seconds * 1000)?.seconds)
    assert.deepEqual(awaited, [8, 0, 0])
    assert.equal(awaitedMessage(item, NOW + 39_000), null)
    assert.equal(awaitedMessage({ ...item, urgency: 1 }, NOW), null)
    assert.equal(awaitedMessage({ urgency: 0, firstMessage: null }, NOW), null)
  })

  test('the most urgent comes first, then the one that has waited longest', () => {
    const items = [itemOf(1, NOW, { urgency: 4 }), itemOf(2, NOW), itemOf(3, NOW), itemOf(4, NOW, { urgency: 0 })]
    const order = items.toSorted(byUrgency).map(({ incidentId }) => Number(incidentId.slice(-2)))
    assert.deepEqual(order, [4, 3, 2, 1])
  })

  const screens = [
    [1280, 720],
    [1920, 1080],
    [3840, 2160],
    [1080, 1920],
  ] as const
  for (const [wide, high] of screens) {
    test(`a wall of ${wide} × ${high} px has room for some alarms in full and for fifty by name`, () => {
      const planOf = (count: number) => wallPlan(count, wide * 0.65, high * 0.75, Math.min(wide, high))
      assert.equal(planOf(1).detail, 'full')
      assert.equal(planOf(4).detail, 'full')
      for (let count = 1; count <= 200; count++) {
        const { detail, fontPx, columns, rows } = planOf(count)
        assert.ok(fontPx >= 14 && (columns * rows >= Math.min(count, 50) || detail === 'line'), `${count}`)
        if (count <= 50) assert.ok(columns * rows >= count, `${count} have room`)
      }
    })
  }

  test('a wall without room for all shows the newest and the most urgent', () => {
    // The higher its number, the longer an alarm has been open; here the newest are the least urgent.
    const items = Array.from({ length: 200 }, (_, n) => itemOf(n, NOW, { urgency: n < 100 ? 3 : 1 })).sort(byUrgency)
    const shown = wallItems(items, 30).map(({ incidentId }) => Number(incidentId.slice(-3)))
    assert.equal(shown.length, 30)
    assert.deepEqual(shown.slice(0, 2), [199, 198])
    assert.deepEqual(shown.slice(20), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    const again = { ...items.at(-50)!, urgency: 4, news: { what: 'pressed_again', at: '' } } as const
    assert.equal(wallItems([...items, again], 30)[0], again, 'an operator has to look at it')
    assert.equal(wallItems(items, 200), items)
  })

  test('older news changes nothing, newer replaces, and a closed incident leaves the board', () => {
    const board = merged(new Map(), [itemOf(1, NOW, { version: 5 })])
    const { incidentId } = itemOf(1, NOW)
    assert.deepEqual(merged(board, [itemOf(1, NOW, { version: 4, presses: 9 })]), board)
    assert.equal(merged(board, [itemOf(1, NOW, { version: 5, presses: 9 })]).get(incidentId)?.presses, 9)
    const ended = { version: 6, status: 'cancelled' } as const
    assert.equal(merged(board, [itemOf(1, NOW, ended)]).size, 0)
    // Unless presses that go on are put off: until those are over.
    const putOff = merged(board, [itemOf(1, NOW, ended), itemOf(1, NOW, { ...ended, putOff: { until: '' } })])
    assert.equal(putOff.size, 1)
    assert.equal(merged(putOff, [itemOf(1, NOW, ended)]).size, 0)
  })

  test('an incident that ends while the board is read is not put back by what was read', () => {
    const read = [itemOf(1, NOW, { version: 5 }), itemOf(2, NOW)]
    const meanwhile = [itemOf(1, NOW, { version: 6, status: 'cancelled' })]
    assert.deepEqual([...merged(merged(new Map(), read), meanwhile).keys()], [itemOf(2, NOW).incidentId])
  })

  test('a position is taken over between events, and nothing that is older or over', () => {
    const there = merged(new Map(), [itemOf(1, NOW), itemOf(2, NOW, { version: 9 })])
    const position = { latitude: 47.3, longitude: 11.5, altitude: null, at: new Date(NOW).toISOString() }
    const read = [1, 2, 3].map((n) => itemOf(n, NOW, { position, presses: 9 }))
    const [first, second, ...more] = moved(there, read).values()
    assert.deepEqual([first?.position, first?.presses], [position, 1])
    assert.deepEqual([second, more], [itemOf(2, NOW, { version: 9 }), []])
    const places = [position, itemOf(1, NOW).position!]
    const [known] = moved(there, [itemOf(1, NOW, { position, places })]).values()
    assert.deepEqual(known?.places, places)
    const [alone] = moved(new Map([[known!.incidentId, known!]]), [itemOf(1, NOW)]).values()
    assert.equal(alone && 'places' in alone, false)
  })

  test('of 5,000 rows only those in sight are in the page, and all of them can be reached', () => {
    const top = windowOf(5000, 84, 0, 800)
    assert.deepEqual([top.first, top.last, top.beforePx], [0, 16, 0])
    const middle = windowOf(5000, 84, 84 * 2500, 800)
    assert.ok(middle.last - middle.first < 30)
    assert.equal(middle.beforePx + middle.afterPx + (middle.last - middle.first) * 84, 5000 * 84)
    const end = windowOf(5000, 84, 84 * 5000, 800)
    assert.deepEqual([end.last, end.afterPx], [5000, 0])
    const below = windowOf(5000, 84, -2000, 800)
    assert.deepEqual(below, { first: 0, last: 0, beforePx: 0, afterPx: 84 * 5000 })
    assert.equal(windowOf(5000, 84, -756, 800).last, 7, 'those that are about to be seen')
    assert.deepEqual(windowOf(0, 84, 0, 800), { first: 0, last: 0, beforePx: 0, afterPx: 0 })
  })

  const places: readonly (readonly [hash: string, route: object])[] = [
    ['', { view: 'board' }],
    ['#/', { view: 'board' }],
    ['#/wall', { view: 'wall' }],
    [
      '#/incident/00000000-0000-4000-8000-000000000001',
      { view: 'incident', id: '00000000-0000-4000-8000-000000000001' },
    ],
    ['#/incident/../../x', { view: 'board' }],
    ['#/incident', { view: 'board' }],
    ['#/nowhere', { view: 'board' }],
    ['#/readiness', { view: 'readiness', app: null }],
    ['#/on-call', { view: 'onCall' }],
    [`#/readiness/${idOf(1)}`, { view: 'readiness', app: idOf(1) }],
    ['#/readiness/<b>', { view: 'readiness', app: null }],
    ['#invitation=abcdefgh-12', { view: 'invitation', invitation: 'abcdefgh-12' }],
    ['#setup=abcdefgh-12', { view: 'setup', setup: 'abcdefgh-12' }],
    ['#token=tocsin_abcdefgh', { view: 'token', token: 'tocsin_abcdefgh' }],
    ['#invitation=<script>', { view: 'board' }],
  ]
  for (const [hash, route] of places) {
    test(`${hash || 'nothing'} leads to ${JSON.stringify(route)}`, () => assert.deepEqual(routeOf(hash), route))
  }

  test('a stream is read the same in pieces of any size', () => {
    const text =
      ': hello\n\nid: 7\nevent: incident\ndata: {"a":\ndata: 1}\n\nevent: heartbeat\r\ndata: {}\r\n\r\nid: 8\n\ndata: last\n\n'
    const expected: StreamEvent[] = [
      { id: '7', event: 'incident', data: '{"a":\n1}' },
      { id: '7', event: 'heartbeat', data: '{}' },
      { id: '8', event: 'message', data: 'last' },
    ]
    for (const size of [1, 2, 7, text.length]) {
      const events: StreamEvent[] = []
      const take = eventReader((event) => events.push(event))
      for (let at = 0; at < text.length; at += size) take(text.slice(at, at + size))
      assert.deepEqual(events, expected, `in pieces of ${size}`)
    }
  })

  const pages: Readonly<Record<string, { items: readonly number[]; hasMore: boolean; nextCursor: string | null }>> = {
    first: { items: [], hasMore: true, nextCursor: 'second' },
    second: { items: [], hasMore: true, nextCursor: 'third' },
    third: { items: [1, 2], hasMore: true, nextCursor: 'last' },
    last: { items: [], hasMore: false, nextCursor: null },
  }
  const readPage = async (cursor: string | null) => pages[cursor ?? 'first']!

  test('empty pages are passed over until one shows something, or there are no more', async () => {
    assert.deepEqual(await nextItems(null, readPage), { items: [1, 2], cursor: 'last' })
    assert.deepEqual(await nextItems('last', readPage), { items: [], cursor: null })
  })

  test('pages that are empty without an end are left to another click', async () => {
    let reads = 0
    const found = await nextItems(null, async () => ({ items: [], hasMore: true, nextCursor: `${++reads}` }))
    assert.deepEqual(found, { items: [], cursor: `${reads}` })
    assert.ok(reads < 30)
  })

  test('a name cannot turn the words beside it around, hide, or be nothing to click on', () => {
    const given = { name: '\u202e<b>Mia</b>\u200b\u2066', notes: ['a\nb\u2028', 'پیام\u200cها', 7, null] }
    const shown = { name: '<b>Mia</b>', notes: ['a\nb', 'پیام\u200cها', 7, null] }
    assert.deepEqual(parsePlain(JSON.stringify(given)), shown)
    assert.deepEqual(parsePlain(JSON.stringify(shown)), shown)
    for (const blank of ['\u200d \u200c', '\u3164\u3164', '\u2800', '\u00ad']) assert.equal(readable(blank), null)
    assert.equal(readable(null), null)
    assert.equal(readable('Mia'), 'Mia')
    assert.equal(readable('ליאה'), '\u2068ליאה\u2069')
  })
})

test('a person is called by what can be seen: the name, else the number, else the external id', () => {
  const person = { name: 'Mia', phone: '+4366012345', externalUserId: 'hiker-1' }
  assert.equal(personName(person), 'Mia')
  for (const name of [null, '', ' ', '\u200b', '\u3164', '\u2800'])
    assert.equal(personName({ ...person, name }), '+4366012345')
  assert.equal(personName({ ...person, name: '\u200b', phone: null }), 'hiker-1')
})

test('a stream that breaks off at once is asked for less and less often, by all screens of a room not together', () => {
  let failures = 0
  let asked = 0
  for (let ms = 0; ms < 60_000; asked++) {
    failures = failuresAfter(failures, 200)
    ms += pauseMs(failures, 0.5)
  }
  assert.equal(asked, 10)
  assert.deepEqual(
    [0, 0.5, 1].map((random) => pauseMs(failures, random)),
    [7500, 10_000, 12_500],
  )
  assert.equal(pauseMs(failuresAfter(failures, 5000), 0.5), 500, 'one that lasted begins anew')
})

test('what was refused for want of a sign-in is sent again, also where the refusal comes after the next sign-in', async () => {
  const asked: boolean[] = []
  const signIns = waitingFor((isAsked) => asked.push(isAsked))
  const early = signIns.turn()
  const first = signIns.refused(early)
  signIns.settle(true)
  assert.equal(await first, true)
  assert.equal(await signIns.refused(early), true, 'it crossed with the sign-in')
  assert.deepEqual(asked, [true, false])
  const next = signIns.refused(signIns.turn())
  signIns.settle(false)
  assert.equal(await next, false)
  assert.deepEqual(asked, [true, false, true, false], 'a session that ended since is asked for')
})

test('the messages of a round that follow each other stand together, once there is a second round', () => {
  const [pressed, note] = [{ kind: 'pressed' }, { kind: 'note' }]
  const message = (round: number) => ({ kind: 'message', round })
  const shapeOf = (entries: Parameters<typeof groupsOf>[0]) =>
    groupsOf(entries).map(({ round, rows }) => [round, rows.length])
  assert.deepEqual(shapeOf([]), [])
  assert.deepEqual(shapeOf([pressed, message(1), message(1)]), [[null, 3]])
  const first = [pressed, message(1), message(1), note, message(1)]
  assert.deepEqual(shapeOf([...first, message(2), message(2)]), [
    [null, 1],
    [1, 2],
    [null, 1],
    [null, 1],
    [2, 2],
  ])
})
