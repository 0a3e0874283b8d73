import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { REQUESTS_PER_LINK } from '../../../../../src/adapters/inbound/http/admission/throttle.ts'
import { languagesOf, textsFor } from '../../../../../src/adapters/inbound/http/tracking/language.ts'
import { ageText } from '../../../../../src/adapters/inbound/http/tracking/moment.ts'
import { trackingDocument } from '../../../../../src/adapters/inbound/http/tracking/page.ts'
import { liveScript } from '../../../../../src/adapters/inbound/http/tracking/script.ts'
import type { TrackingPage } from '../../../../../src/app/answers/tracking-page.ts'
import { emergencyNumber, emergencyNumberOf } from '../../../../../src/core/text/emergency-number.ts'
import { localTime } from '../../../../../src/core/text/local-time.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../../../src/lib/durations.ts'
import { StoreError } from '../../../../../src/ports/store.ts'
import { ask, NOW, PAGE, startHttp, TOKEN } from '../stand-in.ts'

const PATH = `/t/${TOKEN}`
const render = (page: Partial<TrackingPage>, language = 'en') =>
  trackingDocument({ ...PAGE, ...page }, textsFor([language]), PATH, NOW)
const closedBy = (by: 'user' | 'operator' | 'contact' | 'system' | null, name: string | null = null) =>
  ({
    closedAt: NOW - MINUTE,
    closing: { status: 'resolved', by, name, hours: by === 'system' ? 24 : null },
    canAcknowledge: false,
  }) as const
const helping = (name: string, at: number) => ({ name, kind: 'helping', at }) as const
const acknowledgedBy = (acknowledgedAt: number | null) => ({ ...PAGE.contact, acknowledgedAt })

/** The text as it reads: without the marks that isolate names, and without entities. */
const asRead = (text: string): string => text.replace(/<\/?bdi>/g, '').replaceAll('&#39;', "'")

suite('what a contact sees', () => {
  const minuteAgo = NOW - MINUTE
  const states: readonly {
    readonly state: string
    readonly page: Partial<TrackingPage>
    readonly title: string
    readonly lead: string
    /** The choices are open, not folded away. */
    readonly asks?: boolean
    readonly button?: string
    /** Something is left to do: the person and the emergency services are one tap away. */
    readonly calls: boolean
  }[] = [
    {
      state: 'no one has answered',
      page: {},
      title: 'Ana Muster needs help',
      lead: 'Nobody has responded yet.',
      asks: true,
      calls: true,
    },
    {
      state: 'someone has answered for the contacts',
      page: { status: 'acknowledged', isHelped: true, acknowledgedAt: minuteAgo },
      title: 'Ana Muster needs help',
      lead: 'Someone has responded and is taking care of it.',
      asks: true,
      calls: true,
    },
    {
      state: 'another contact has answered',
      page: {
        status: 'acknowledged',
        isHelped: true,
        acknowledgedAt: minuteAgo,
        confirmations: [helping('Cem', minuteAgo)],
      },
      title: 'Ana Muster needs help',
      lead: 'Cem has responded and is taking care of it.',
      asks: true,
      calls: true,
    },
    {
      state: 'two others have answered',
      page: {
        status: 'acknowledged',
        isHelped: true,
        acknowledgedAt: minuteAgo,
        confirmations: ['Cem', 'Dora'].map((name) => helping(name, minuteAgo)),
      },
      title: 'Ana Muster needs help',
      lead: 'Cem and Dora have responded and are taking care of it.',
      asks: true,
      calls: true,
    },
    {
      state: 'the contact has answered',
      page: {
        status: 'acknowledged',
        isHelped: true,
        acknowledgedAt: minuteAgo,
        contact: acknowledgedBy(minuteAgo),
        canAcknowledge: false,
      },
      title: 'Thank you',
      lead: 'We have received your response. You are helping Ana Muster.',
      calls: true,
    },
    {
      state: 'the alarm has been raised again',
      page: { status: 'acknowledged', isHelped: true, acknowledgedAt: minuteAgo, contact: acknowledgedBy(minuteAgo) },
      title: 'Ana Muster needs help',
      lead: 'The alert was sent again after you responded.',
      asks: true,
      calls: true,
    },
    {
      state: 'the contact is asked again',
      page: {
        status: 'acknowledged',
        isHelped: true,
        acknowledgedAt: minuteAgo,
        contact: acknowledgedBy(minuteAgo),
        isAskedAgain: true,
      },
      title: 'Ana Muster needs help',
      lead: 'Are you still helping Ana Muster?',
      button: "Yes, I'm still helping",
      calls: true,
    },
    {
      state: 'it was cancelled, without any details',
      page: { status: 'cancelled', ...closedBy(null) },
      title: 'Ana Muster cancelled the alert',
      lead: "You don't need to do anything else.",
      calls: false,
    },
    {
      state: 'it was resolved, without any details',
      page: { status: 'resolved', ...closedBy(null) },
      title: "Ana Muster's alert is over",
      lead: "You don't need to do anything else.",
      calls: false,
    },
    {
      state: 'it was ended from the phone of the person',
      page: { status: 'cancelled', ...closedBy('user') },
      title: "Alert ended from Ana Muster's phone",
      lead: 'Nobody else has confirmed that Ana Muster is safe. Please call Ana Muster.',
      calls: true,
    },
    {
      state: 'an operator ended it',
      page: { status: 'resolved', ...closedBy('operator', 'Hut Rescue') },
      title: "Ana Muster's alert is over",
      lead: "Ended by Hut Rescue. You don't need to do anything else.",
      calls: false,
    },
    {
      state: 'a contact ended it',
      page: { status: 'resolved', ...closedBy('contact') },
      title: "Ana Muster's alert is over",
      lead: "Ended by a contact. You don't need to do anything else.",
      calls: false,
    },
    {
      state: 'it was closed automatically, without an answer',
      page: { status: 'resolved', ...closedBy('system') },
      title: 'Closed automatically after 24 h',
      lead: 'Nobody has confirmed that Ana Muster is safe. Please call Ana Muster.',
      calls: true,
    },
    {
      state: 'it was closed automatically, after an answer',
      page: { status: 'resolved', ...closedBy('system'), confirmations: [helping('Cem', minuteAgo)] },
      title: 'Closed automatically after 24 h',
      lead: 'Cem responded, but nobody has confirmed that Ana Muster is safe.',
      calls: true,
    },
  ]
  for (const { state, page, title, lead, asks = false, button, calls } of states) {
    test(`if ${state}`, () => {
      const text = render(page)
      const read = asRead(text)
      assert.ok(read.includes(`<title>${title}</title>`))
      assert.ok(read.includes(`<h1>${title}</h1><p>${lead}</p>`), read)
      const isOpen = !('closedAt' in page)
      const forms = [...read.matchAll(/<form method="post" action="([^"]*)">/g)].map(([, action]) => action)
      assert.deepEqual(forms, isOpen ? [`${PATH}/ack`, `${PATH}/decline`, `${PATH}/stranger`] : [])
      assert.equal(read.includes('<div id="answers">'), asks || button !== undefined)
      assert.equal(/<button type="submit" id="still">([^<]*)</.exec(read)?.[1], button)
      assert.equal(text.includes('<noscript><meta http-equiv="refresh" content="30"></noscript>'), isOpen)
      assert.equal(text.includes('href="tel:+4366012345678"'), calls)
      assert.equal(text.includes('href="tel:112"'), calls)
      assert.equal(text.match(/<script>/g)?.length, isOpen ? 2 : undefined)
      assert.ok(Buffer.byteLength(text) < 24_000, 'a few KB, for a bad network')
    })
  }

  test('offers to call the person, if they left a number, and the local emergency services', () => {
    const text = asRead(render({ timeZone: 'America/Denver', countries: [] }))
    assert.match(text, /href="tel:\+4366012345678"[^>]*><span>Call Ana Muster</)
    assert.match(text, /href="tel:911"[^>]*><span>Emergency: call 911</)
    assert.match(
      text,
      /If someone's life is in danger, call the emergency services first: 911 or the local emergency number\./,
    )
    assert.doesNotMatch(render({ phone: null }), /tel:\+/)
  })

  test('when it was pressed, and who confirmed when', () => {
    const text = render({ acknowledgedAt: NOW - 50 * SECOND, contact: acknowledgedBy(NOW - 20 * SECOND) })
    assert.match(text, /SOS pressed<\/dt><dd><time datetime="2026-05-01T14:05:12.000Z">3 minutes ago \(16:05 CEST\)/)
    assert.match(text, /You responded<\/dt><dd><time[^>]*>20 seconds ago/)
    assert.ok(!text.includes('Alert received') && !text.includes('First response'))
    const others = asRead(render({ acknowledgedAt: NOW, confirmations: [helping('Cem', NOW - 50 * SECOND)] }))
    assert.match(others, /Cem responded<\/dt><dd><time[^>]*>50 seconds ago/)
    assert.ok(!others.includes('First response'))
    assert.match(render({ acknowledgedAt: NOW - 50 * SECOND }), /First response<\/dt><dd><time[^>]*>50 seconds ago/)
    assert.match(render({ again: { pressedAt: NOW - MINUTE } }), /SOS pressed again<\/dt><dd><time[^>]*>1 minute ago/)
  })

  test('a delayed alarm shows when it arrived', () => {
    const text = render({ occurredAt: NOW - 26 * HOUR, openedAt: NOW - MINUTE })
    assert.match(text, /SOS pressed<\/dt><dd><time[^>]*>26 hours ago \(30 Apr 14:08 CEST\)/)
    assert.match(text, /Alert received<\/dt><dd><time[^>]*>1 minute ago/)
  })

  test('how accurate the position is, and the network at the press, where that is known', () => {
    const network = { phone: 'LTE http://x.example', tracker: null }
    const text = asRead(render({ lastPosition: { ...PAGE.lastPosition!, accuracy: 12.4 }, network }))
    assert.match(text, /Accurate to about 12\u00a0m/)
    assert.match(text, /Phone network when SOS was pressed: LTE/)
    assert.doesNotMatch(text, /x\.example|Tracker network/)
    assert.doesNotMatch(render({}), /Accurate|network when/)
  })

  test('the position: coordinates, age, altitude and three maps', () => {
    const text = render({ lastPosition: { ...PAGE.lastPosition!, latitude: -0.000001, altitude: 2451.4 } })
    assert.match(text, /<p class="place with-copy"><span>0\.00000, 11\.40412<\/span>/)
    assert.match(text, /1 minute ago \(16:06 CEST\)/)
    assert.match(text, /2451\u00a0m above sea level/)
    assert.match(text, /href="geo:0\.00000,11\.40412\?q=0\.00000,11\.40412"/)
    const outside = [...text.matchAll(/<a href="https:[^>]*>/g)].map(([link]) => link)
    assert.equal(outside.length, 3)
    assert.ok(text.indexOf(outside[0]!) < text.indexOf('geo:'), 'the one that every phone opens comes first')
    assert.match(outside[0]!, /https:\/\/maps\.google\.com/)
    for (const link of outside) assert.match(link, /rel="noreferrer noopener"/)
  })

  test('a position older than 15 minutes is marked, and the age comes before the place', () => {
    const aged = (age: number) =>
      render({ lastPosition: { ...PAGE.lastPosition!, at: new Date(NOW - age).toISOString() } })
    assert.doesNotMatch(aged(15 * MINUTE), /class="old"|They may have moved/)
    const old = aged(16 * MINUTE)
    assert.match(old, /<section class="old">/)
    assert.match(old, /They may have moved: there is no newer location\./)
    assert.ok(old.indexOf('16 minutes ago') < old.indexOf('47.07134'), 'in the header')
    assert.match(old, /<header.*16 minutes ago.*<\/header>/s)
  })

  test('the notations that rescue services ask for, each to copy', () => {
    const copied = [...render({}).matchAll(/data-copy="([^"]*)"/g)].map(([, text]) => text)
    assert.deepEqual(copied, ['47.07134, 11.40412', '47° 04.280′ N, 011° 24.247′ E', '32T PT 82527 15896'])
  })

  test('the batteries at the press, as far as known', () => {
    const [phone, tracker] = [{ percent: 7, at: NOW - 180_000 }, { range: 'critical', at: NOW - 7_200_000 } as const]
    const text = render({ battery: { phone, tracker } })
    assert.match(text, /Phone battery: 7%, <time[^>]*>3 minutes ago/)
    assert.match(text, /Tracker battery: almost empty, <time[^>]*>2 hours ago/)
    assert.doesNotMatch(render({}), /battery/)
  })

  test('the script never asks the browser for the date, and no page of ours asks another host', () => {
    assert.doesNotMatch(liveScript, /Date\.now|new Date|Date\(/)
    assert.doesNotMatch(liveScript, /https?:/)
  })

  test('the position: unknown', () => {
    const text = render({ lastPosition: null })
    assert.match(text, /The location is not known yet/)
    assert.ok(!text.includes('geo:'))
  })

  test('a hostile name stays a name', () => {
    const who = `<script>alert("1")</script>'&\u202e${'x'.repeat(500)}`
    const text = render({ who })
    assert.ok(!text.includes('<script>alert'))
    assert.ok(!text.includes('\u202e'))
    assert.match(text, /<h1><bdi>&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/ script&gt;&#39;&amp;/)
    assert.ok(!text.includes('x'.repeat(61)))
    assert.match(render({ who: '\u202e\u0000' }), /<h1><bdi>Someone<\/bdi> needs help<\/h1>/)
  })
})

suite('names in a page', () => {
  test('a right-to-left name reorders nothing around it, not even in the title', () => {
    const text = render({ who: 'מרים', confirmations: [helping('علي', NOW)], status: 'acknowledged', isHelped: true })
    assert.ok(text.includes('<title>\u2068מרים\u2069 needs help</title>'))
    assert.ok(text.includes('<h1><bdi>מרים</bdi> needs help</h1><p><bdi>علي</bdi> has responded'))
    assert.ok(text.includes('Call <bdi>מרים</bdi></span></a>'))
  })

  test('a name that contains a URL makes no link', () => {
    const text = render({ who: 'bank.example/x', ...closedBy('operator', 'bank.example/x') })
    assert.ok(!text.includes('bank.example') && text.includes('bank. example/ x'))
  })
})

suite('colours', () => {
  const sheet = /<style>([^<]*)<\/style>/.exec(render({}))?.[1] ?? ''
  test('each has a plain value before its variable, for phones without variables', () => {
    const declarations = sheet.split(/[{};]/)
    const withVariable = declarations.flatMap((one, at) => (one.includes('var(') ? [at] : []))
    assert.ok(withVariable.length > 10)
    for (const at of withVariable) {
      const [before = '', now = ''] = [declarations[at - 1], declarations[at]]
      assert.equal(before.replace(/#[0-9a-f]{3,6}/, ''), now.replace(/var\([^)]*\)/, ''), `${before};${now}`)
      assert.match(before, /#[0-9a-f]{3,6}/)
    }
  })
})

suite('the emergency number', () => {
  const rule = [
    ['Europe/Vienna', '112'],
    ['Europe/London', '999'],
    ['America/New_York', '911'],
    ['America/Nuuk', '112'],
    ['Pacific/Honolulu', '911'],
    ['Australia/Perth', '000'],
    ['Pacific/Auckland', '111'],
    ['Asia/Tokyo', '119'],
    ['UTC', '112'],
    ['Africa/Nairobi', '112'],
  ] as const
  for (const [zone, number] of rule) test(`in ${zone} is ${number}`, () => assert.equal(emergencyNumber(zone), number))
})

suite('the emergency numbers of a place', () => {
  const POSITION = PAGE.lastPosition!
  const numbersOf = (page: Partial<TrackingPage>) =>
    [...render(page).matchAll(/href="tel:(\d+)" class="button emergency"><span>([^<]*)</g)].map(([, , text]) => text)

  test('one for a country, whatever the time zone of the application', () => {
    assert.deepEqual(numbersOf({ countries: ['AT'], timeZone: 'America/Denver' }), ['Emergency: call 112'])
    assert.deepEqual(numbersOf({ countries: ['US'] }), ['Emergency: call 911'])
  })

  test('each of several countries near a border, and one where they share it', () => {
    assert.deepEqual(numbersOf({ countries: ['SG', 'MY', 'ID'] }), [
      'Singapore: call 995',
      'Malaysia: call 999',
      'Indonesia: call 112',
    ])
    assert.deepEqual(numbersOf({ countries: ['IT', 'AT'] }), ['Emergency: call 112'])
  })

  test('what to tell a centre that may be in another country', () => {
    const say = asRead(render({ countries: ['IT', 'AT'] }))
    assert.match(say, /“Ana Muster needs help. Country: Italy or Austria, coordinates: 47\.07134, 11\.40412\.”/)
    assert.doesNotMatch(render({ countries: [] }), /Say:/)
  })

  test('the operator’s own number goes before ours', () => {
    assert.deepEqual(numbersOf({ countries: ['AT'], emergencyNumbers: { AT: '140' } }), ['Emergency: call 140'])
  })

  test('an unknown country, or a place at sea, gets 112 or the number of the time zone', () => {
    assert.deepEqual(numbersOf({ countries: ['ZZ'] }), ['Emergency: call 112'])
    assert.deepEqual(numbersOf({ countries: [], timeZone: 'Asia/Tokyo', lastPosition: POSITION }), [
      'Emergency: call 119',
    ])
  })

  test('where 112 does not answer, the number does that serves somebody who is injured', () => {
    const answering = {
      MA: '15',
      SN: '18',
      CV: '130',
      GT: '123',
      OM: '9999',
      NZ: '111',
      JM: '110',
      PK: '1122',
      CH: '112',
    }
    for (const [country, number] of Object.entries(answering)) assert.equal(emergencyNumberOf(country), number, country)
  })

  test('every number is one to dial', () => {
    for (let code = 0; code < 26 * 26; code++) {
      const country = String.fromCharCode(65 + Math.floor(code / 26), 65 + (code % 26))
      assert.match(emergencyNumberOf(country), /^\d{2,5}$/)
    }
  })
})

suite('answers', () => {
  const minuteAgo = NOW - MINUTE
  const helps = { status: 'acknowledged', acknowledgedAt: minuteAgo, isHelped: true, canAcknowledge: false } as const

  test('a helper sees what they have promised, and can change it', () => {
    const coming = render({
      ...helps,
      contact: acknowledgedBy(minuteAgo),
      answer: { kind: 'coming', etaMinutes: 30, at: minuteAgo },
    })
    assert.match(coming, /<h1>Thank you<\/h1><p>Your answer: you are coming, arriving around 16:37 CEST\.<\/p>/)
    assert.match(coming, /<details id="answers"><summary>Change my answer<\/summary>/)
    const calling = render({ ...helps, contact: acknowledgedBy(minuteAgo), answer: { kind: 'calling', at: minuteAgo } })
    assert.match(asRead(calling), /Your answer: you are calling Ana Muster\./)
  })

  test('others see who comes, calls or can’t, by first name', () => {
    const text = asRead(
      render({
        ...helps,
        canAcknowledge: true,
        confirmations: [
          { name: 'Cem', kind: 'coming', etaMinutes: 60, at: minuteAgo },
          { name: 'Dora', kind: 'calling', at: minuteAgo },
        ],
        unable: [{ name: 'Eva', at: minuteAgo }],
      }),
    )
    for (const said of ['Cem is coming, arriving around 17:07 CEST', 'Dora is calling', "Eva can't help"]) {
      assert.ok(text.includes(`<dt>${said}</dt>`), said)
    }
    const one = render({ ...helps, confirmations: [{ name: 'Cem', kind: 'calling', at: minuteAgo }] })
    assert.match(asRead(one), /<p>Cem is calling\.<\/p>/)
  })

  test('who can’t help is told who is alarmed instead, and may think again', () => {
    const answer = { kind: 'unable', at: minuteAgo } as const
    const text = asRead(render({ answer, isAwaited: true }))
    assert.match(text, /<p>Your answer: you can't help\. The other contacts are being alerted\.<\/p>/)
    assert.match(text, /<details id="answers">/)
    const helped = asRead(render({ ...helps, canAcknowledge: true, answer, confirmations: [helping('Cem', NOW)] }))
    assert.match(helped, /<p>Cem has responded/)
    assert.match(helped, /Your answer: you can't help\.<\/dt>/)
  })

  test('when the last helper has withdrawn, nobody is said to help', () => {
    const text = render({ ...helps, isHelped: false, canAcknowledge: true })
    assert.match(text, /<header class="alarm"/)
    assert.match(text, /Nobody is helping at the moment\./)
  })

  test('each choice has a target of its own, and says for itself what it means', () => {
    const buttons = [...render({}).matchAll(/formaction="([^"]*)"(?: aria-label="([^"]*)")?/g)]
    assert.deepEqual(
      buttons.map(([, address]) => address),
      [10, 30, 60, 120].map((minutes) => `${PATH}/ack?coming=${minutes}`).concat(`${PATH}/ack?calling`),
    )
    assert.deepEqual(
      buttons.slice(0, 4).map(([, , label]) => label?.replaceAll('&#39;', "'").replaceAll('\u00a0', ' ')),
      ['10 min', '30 min', '1 h', 'over 1 h'].map((time) => `I'm coming, in ${time}`),
    )
  })

  const promises = [
    ['ack?coming=30', { kind: 'coming', etaMinutes: 30 }],
    ['ack?coming=120', { kind: 'coming', etaMinutes: 120 }],
    ['ack?calling', { kind: 'calling' }],
    ['ack?calling=', { kind: 'calling' }],
    ['ack?coming=121', undefined],
    ['ack?coming=0', undefined],
    ['ack?coming=-5', undefined],
    ['ack?coming=1e1', undefined],
    ['ack?coming=10&coming=20', undefined],
    ['ack?coming=%00', undefined],
    ['ack?unable', undefined],
  ] as const
  for (const [path, promise] of promises) {
    test(`POST ${path} acknowledges${promise === undefined ? ', without what cannot be read' : ''}`, async (t) => {
      const site = await startHttp(t)
      const { status, headers } = await ask(site, 'POST', `${PATH}/${path}`)
      assert.deepEqual([status, headers.get('location')], [303, PATH])
      assert.deepEqual(site.calls, [{ use: 'acknowledge', args: [TOKEN, promise] }])
    })
  }

  test('“I can’t” never acknowledges, whatever it carries', async (t) => {
    const site = await startHttp(t)
    for (const path of ['decline', 'decline?coming=10', 'decline?calling']) {
      const { status, headers } = await ask(site, 'POST', `${PATH}/${path}`, { body: new URLSearchParams({ a: 'b' }) })
      assert.deepEqual([status, headers.get('location')], [303, PATH])
    }
    assert.deepEqual(new Set(site.calls.map(({ use }) => use)), new Set(['decline']))
  })

  test('no other method answers anything, nor does any other origin without the link', async (t) => {
    const site = await startHttp(t)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const verb of ['ack', 'decline', 'events']) {
        const { status, headers } = await ask(site, method, `${PATH}/${verb}`, {
          headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        })
        assert.equal(status, 405, `${method} ${verb}`)
        assert.equal(headers.get('access-control-allow-origin'), null)
      }
    }
    assert.equal((await ask(site, 'POST', `${PATH}/events`)).status, 405)
    assert.deepEqual(site.calls, [])
  })
})

suite('ages and times', () => {
  const ages = [
    [0, 'now'],
    [-5 * MINUTE, 'now'],
    [59 * SECOND, '59 seconds ago'],
    [MINUTE, '1 minute ago'],
    [119 * MINUTE, '119 minutes ago'],
    [2 * HOUR, '2 hours ago'],
    [47 * HOUR, '47 hours ago'],
    [2 * DAY, '2 days ago'],
  ] as const
  for (const [age, text] of ages) test(text, () => assert.equal(ageText('en', NOW - age, NOW), text))

  const times = [
    [NOW, 'UTC', 'en', '14:08 UTC'],
    [NOW - DAY, 'UTC', 'en', '30 Apr 14:08 UTC'],
    [NOW - 365 * DAY, 'UTC', 'en', '1 May 2025 14:08 UTC'],
    [Date.parse('2026-05-01T00:07:00Z'), 'UTC', 'de', '00:07 UTC'],
    [Date.parse('2026-04-30T22:07:00Z'), 'Europe/Vienna', 'de', '00:07 CEST'],
    [Date.parse('2026-04-30T21:07:00Z'), 'Europe/Vienna', 'de', '30. Apr. 23:07 CEST'],
    [Date.parse('2026-01-31T12:00:00Z'), 'Europe/Vienna', 'de', '31. Jan. 13:00 CET'],
    [Date.parse('2025-08-27T12:00:00Z'), 'Europe/Paris', 'fr', '27 aout 2025 14:00 CEST'],
    [NOW, 'America/Los_Angeles', 'es', '07:08 PDT'],
    [NOW, 'Asia/Kathmandu', 'it', '19:53 GMT+5:45'],
    [NOW, 'Pacific/Auckland', 'en', '02:08 NZST'],
    [NOW, 'No/Such_Zone', 'en', '14:08 UTC'],
  ] as const
  for (const [at, timeZone, language, text] of times) {
    test(`${new Date(at).toISOString()} in ${timeZone} is ${text}`, () => {
      const now = timeZone === 'Pacific/Auckland' ? NOW + HOUR : NOW
      assert.equal(localTime(at, { now, timeZone, language }), text)
    })
  }
})

const done = async () => ({ done: true }) as const
const noTrail = async () => ({ positions: [] })

suite('languages', () => {
  const all = ['en', 'de', 'fr', 'es', 'it'] as const
  for (const language of all) {
    test(`${language}: complete, and different from the others`, () => {
      const texts = textsFor([language])
      const document = render({}, language)
      assert.match(document, new RegExp(`<html lang="${language}">`))
      const said = (one: typeof texts) =>
        Object.entries(one).map(([key, text]) =>
          typeof text === 'function' ? (text as (...given: unknown[]) => string)(key, 2) : text,
        )
      for (const text of said(texts)) assert.match(text, /\S/)
      for (const other of all.filter((one) => one !== language)) {
        const same = said(texts).filter((text, at) => text === said(textsFor([other]))[at])
        // Altitude in Spanish and French, and little else, may happen to be the same.
        assert.ok(same.length <= 1, `${language} and ${other} say the same: ${same}`)
      }
    })
  }

  test('the contact’s language comes first, then the browser’s, then English', async (t) => {
    const spoken = async (contactLanguage: string, browser: string) => {
      const page = async () => ({ ...PAGE, contact: { ...PAGE.contact, language: contactLanguage } })
      const site = await startHttp(t, {
        tracking: {
          page,
          trail: noTrail,
          acknowledge: done,
          decline: done,
          showPosition: done,
          stop: done,
          start: done,
        },
      })
      const { text } = await ask(site, 'GET', PATH, { headers: { 'accept-language': browser } })
      return /<html lang="(\w+)">/.exec(text)?.[1]
    }
    assert.equal(await spoken('de-AT', 'fr'), 'de')
    assert.equal(await spoken('pt-BR', 'nl, es;q=0.5, it;q=0.9'), 'it')
    assert.equal(await spoken('pt-BR', '*'), 'en')
  })

  test('Accept-Language is read by its weights', () => {
    assert.deepEqual(languagesOf('de;q=0.2, fr, es;q=0.9, it;q=0'), ['fr', 'es', 'de'])
    assert.deepEqual(languagesOf(undefined), [])
    assert.deepEqual(languagesOf(';;q=,,x;q=nonsense'), [])
  })
})

suite('the link', () => {
  const SECRET_HEADERS = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'x-content-type-options': 'nosniff',
  }
  const requests = [
    ['GET', PATH, 200],
    ['HEAD', PATH, 200],
    ['GET', '/t/unknown-token-unknown', 404],
    ['GET', '/t/x', 404],
    ['GET', `/t/${'x'.repeat(8_000)}`, 404],
    ['GET', '/t/%00%2e%2e%2f', 404],
    ['POST', `${PATH}/ack`, 303],
    ['POST', '/t/unknown-token-unknown/ack', 404],
    ['GET', `${PATH}/ack`, 405],
    ['HEAD', `${PATH}/ack`, 405],
    ['POST', `${PATH}/decline`, 303],
    ['POST', '/t/unknown-token-unknown/decline', 404],
    ['GET', `${PATH}/decline`, 405],
    ['GET', '/t/unknown-token-unknown/events', 404],
    ['GET', '/t/x/events', 404],
  ] as const
  for (const [method, path, status] of requests) {
    test(`${method} ${path.slice(0, 40)} → ${status}, with the headers of a secret page`, async (t) => {
      const { headers, status: given } = await ask(await startHttp(t), method, path)
      assert.equal(given, status)
      for (const [name, value] of Object.entries(SECRET_HEADERS)) assert.equal(headers.get(name), value, name)
      const policy = headers.get('content-security-policy') ?? ''
      for (const rule of ["default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
        assert.ok(policy.split('; ').includes(rule), rule)
      }
      assert.ok(!policy.includes('unsafe'))
    })
  }

  test('the policy allows exactly the page’s own style and scripts, and the files of the map from this host', async (t) => {
    const { text, headers } = await ask(await startHttp(t), 'GET', PATH)
    const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = headers.get('content-security-policy') ?? ''
    assert.ok(policy.includes(`style-src 'sha256-${hash}' 'self';`))
    assert.ok(policy.includes("img-src 'self' data:;"))
    const scripts = [...text.matchAll(/<script>([^<]*(?:<(?!\/script>)[^<]*)*)<\/script>/g)].map(
      ([, script]) => script!,
    )
    const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    assert.equal(hashes.length, 2)
    assert.ok(policy.includes(`script-src ${hashes.join(' ')} 'self';`))
    const markup = text.replace(/<script>.*?<\/script>/gs, '')
    assert.ok(!/ style=|<link|<img| on\w+=|url\(/.test(markup), 'nothing that the policy would block')
  })

  test('with tiles from elsewhere, the policy allows images from exactly that host', async (t) => {
    const tileUrl = 'https://tiles.example.org:8443/a/{z}/{x}/{y}.png?key=1'
    const map = { overlays: null, basemap: null, tileUrl, attribution: null }
    const { headers } = await ask(await startHttp(t, { map }), 'GET', PATH)
    const policy = headers.get('content-security-policy') ?? ''
    assert.ok(policy.includes("img-src 'self' data: https://tiles.example.org:8443;"))
    assert.equal(policy.split('example.org').length, 2)
  })

  test('a contact who asks without end waits; another link behind the same address, and answers, do not', async (t) => {
    const page = async () => PAGE
    const site = await startHttp(t, {
      tracking: { page, trail: noTrail, acknowledge: done, decline: done, showPosition: done, stop: done, start: done },
      requestLimits: { perUser: 0, perAddress: 1 },
    })
    const others = `/t/${TOKEN.replace('Z', 'Y')}`
    for (let n = 0; n < REQUESTS_PER_LINK; n += 50) {
      const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await ask(site, 'HEAD', PATH)).status))
      assert.deepEqual([...new Set(statuses)], [200])
    }
    const refused = await ask(site, 'GET', PATH)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(refused.text, new RegExp(`href="${PATH}"`))
    assert.equal((await ask(site, 'GET', `${PATH}/trail`)).status, 429)
    assert.equal((await ask(site, 'GET', others)).status, 200)
    assert.equal((await ask(site, 'POST', `${PATH}/ack`)).status, 303)
  })

  test('GET and HEAD never acknowledge, whatever prefetches them', async (t) => {
    const site = await startHttp(t)
    for (const method of ['GET', 'HEAD']) {
      for (const headers of [
        {},
        { purpose: 'prefetch' },
        { 'sec-purpose': 'prefetch;prerender' },
        { 'x-moz': 'prefetch' },
      ]) {
        for (const path of [
          PATH,
          `${PATH}/ack`,
          `${PATH}/decline`,
          `${PATH}/ack?coming=10`,
          `${PATH}?ack=1`,
          `${PATH}?_method=POST`,
        ]) {
          await ask(site, method, path, { headers: { ...headers, 'x-http-method-override': 'POST' } })
        }
      }
    }
    const used = site.calls.map(({ use }) => use)
    assert.equal(used.length, 24)
    assert.ok(used.every((use) => use === 'page'))
  })

  const bodies: Readonly<Record<string, RequestInit>> = {
    'no body': {},
    'an empty form': { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' },
    'a form': { body: new URLSearchParams({ a: 'b' }) },
    'a multipart form': {
      body: (() => {
        const form = new FormData()
        form.set('a', 'b')
        return form
      })(),
    },
    'broken JSON': { headers: { 'content-type': 'application/json' }, body: '{' },
    'an invalid content type': { headers: { 'content-type': ';' }, body: 'x' },
  }
  for (const [what, init] of Object.entries(bodies)) {
    test(`the button acknowledges with ${what}, and leads back to the page`, async (t) => {
      const site = await startHttp(t)
      const answer = await ask(site, 'POST', `${PATH}/ack`, init)
      assert.equal(answer.status, 303)
      assert.equal(answer.headers.get('location'), PATH)
      assert.deepEqual(site.calls, [{ use: 'acknowledge', args: [TOKEN, undefined] }])
    })
  }

  test('an expired link is a 410, for the button too; neither it nor an unknown one names anyone', async (t) => {
    for (const refused of ['link_expired', 'unknown_link'] as const) {
      const refusing = async () => ({ refused })
      const site = await startHttp(t, {
        tracking: {
          page: refusing,
          trail: refusing,
          acknowledge: refusing,
          decline: refusing,
          showPosition: refusing,
          stop: refusing,
          start: refusing,
        },
      })
      for (const [method, path] of [
        ['GET', PATH],
        ['POST', `${PATH}/ack`],
        ['POST', `${PATH}/decline`],
        ['GET', `${PATH}/events`],
      ] as const) {
        const { status, text } = await ask(site, method, path, { headers: { 'accept-language': 'de' } })
        assert.equal(status, refused === 'link_expired' ? 410 : 404)
        assert.match(text, refused === 'link_expired' ? /Dieser Link ist abgelaufen/ : /Diesen Link gibt es nicht/)
        assert.ok(!text.includes('geo:') && !text.includes('Ana'))
      }
    }
  })

  test('anything that cannot be a token is not looked up', async (t) => {
    const site = await startHttp(t)
    for (const token of ['x', '..%2f..', 'ä'.repeat(20), 'a'.repeat(300), "'; drop table"]) {
      assert.equal((await ask(site, 'GET', `/t/${token}`)).status, 404)
      assert.equal((await ask(site, 'POST', `/t/${token}/ack`)).status, 404)
    }
    assert.deepEqual(site.calls, [])
  })

  test('a failing store gives a page with a way to try again', async (t) => {
    const failing = async () => {
      throw new StoreError('full', 'disk_full')
    }
    const site = await startHttp(t, {
      tracking: {
        page: failing,
        trail: failing,
        acknowledge: failing,
        decline: failing,
        showPosition: failing,
        stop: failing,
        start: failing,
      },
    })
    const { status, text, headers } = await ask(site, 'POST', `${PATH}/ack`)
    assert.equal(status, 503)
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(text, /try again/)
    assert.ok(text.includes(`href="${PATH}"`))
    assert.equal((await ask(site, 'GET', PATH)).status, 503)
  })
})

// preparing.md#drills.
suite('the page of an exercise', () => {
  const banners = {
    en: 'EXERCISE: </strong>There is no emergency',
    de: 'ÜBUNG: </strong>Es liegt kein Notfall vor',
    fr: 'EXERCICE : </strong>Il n’y a aucune urgence',
    it: 'ESERCITAZIONE: </strong>Non c’è nessuna emergenza',
    es: 'SIMULACRO: </strong>No hay ninguna emergencia',
  } as const
  const states: readonly Partial<TrackingPage>[] = [
    {},
    { status: 'acknowledged', contact: acknowledgedBy(NOW), canAcknowledge: false },
    { answer: { kind: 'unable', at: NOW } },
    { status: 'resolved', ...closedBy('operator') },
    { status: 'resolved', ...closedBy('system') },
  ]
  for (const [language, banner] of Object.entries(banners)) {
    test(`${language}: says so in its title and above everything, in every state`, () => {
      const [word] = banner.split(': ')
      for (const state of states) {
        const text = render({ ...state, isDrill: true }, language)
        assert.match(text, new RegExp(`<title>${word}: `))
        assert.ok(text.replace(':</strong> ', ': </strong>').includes(`<p class="drill"><strong>${banner}`), text)
        assert.ok(text.indexOf('class="drill"') < text.indexOf('<h1>'))
      }
      assert.ok(!render({}, language).includes(`${word}:`))
    })
  }

  test('has the same buttons, but no emergency number', () => {
    const [real, drill] = [render({}), render({ isDrill: true })]
    for (const part of ['/ack?calling', '/ack?coming=10', '/decline', 'tel:+4366012345678']) {
      assert.ok(real.includes(part) && drill.includes(part), part)
    }
    assert.match(real, /tel:1\d\d"/)
    assert.doesNotMatch(drill, /tel:1\d\d"|class="button emergency"/)
  })

  test('its end says nothing about the person', () => {
    const text = render({ isDrill: true, status: 'resolved', ...closedBy('system') })
    assert.match(text, /The exercise is over.*Any SOS without the word EXERCISE is real/s)
    assert.doesNotMatch(text, /is safe|Please call/)
  })
})
