import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Item } from '../../console/api/types.ts'
import { idOf, itemOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { axeFindings, CUT, consoleBrowser, drawn, JONAS, NOTE_SOUNDS, stopClock } from './console-page.ts'

type Box = { readonly x: number; readonly y: number; readonly height: number }

suite('the console in a browser: the board, the sound and the stream', needsBrowser, () => {
  const { open } = consoleBrowser()

  test('an exercise stands below every alarm, says so in words, rings no alarm and counts nowhere', async (t) => {
    const { page, api } = await open(t, { signedOut: true, open: [] })
    await page.addInitScript(NOTE_SOUNDS)
    api.state.signedIn = true
    await page.reload()
    await page.getByText('No open alarms.').waitFor()
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    // The test of the sound.
    await until('it has been heard', async () => (await page.evaluate('sounds.once')) === 1)
    const drill = itemOf(7, Date.now(), { urgency: 0, drill: true, delivered: false })
    const row = page.locator('.drills').getByRole('link', { name: /^EXERCISE.*Jonas Weber/ })

    api.add(drill)
    await row.waitFor()
    await page
      .getByText('EXERCISE under way. Only what is marked EXERCISE is one: every other alarm is real.')
      .waitFor()
    await until('a single tone', async () => (await page.evaluate('sounds.once')) === 2)
    // A hundred of them are one tone, and a pressed-again exercise is none.
    api.add(itemOf(13, Date.now(), { urgency: 0, drill: true }))
    api.change(drill.incidentId, { presses: 2, round: 2 })
    await page.getByRole('heading', { name: '2 EXERCISES' }).waitFor()
    assert.deepEqual(await page.evaluate('sounds'), { once: 2, loops: 0 })
    assert.deepEqual([await page.title(), await page.getByRole('alert').textContent()], ['Tocsin', ''])
    assert.equal(await page.locator('.brand .count').textContent(), '0')
    assert.equal(await page.locator('.map').count(), 0)

    // A real SOS ends it: both rows change, and it rings.
    api.add(itemOf(1, Date.now()))
    api.change(drill.incidentId, { status: 'resolved', urgency: 5, closedAt: new Date().toISOString() })
    await page.getByRole('heading', { name: '1 EXERCISE', exact: true }).waitFor()
    await until('it rings', async () => (await page.evaluate('sounds.loops')) === 1)
    await until('the title counts the alarm', async () => (await page.title()) === '(1!) Tocsin')
    const tops = await page.evaluate("[...document.querySelectorAll('.row')].map((row) => row.className)")
    assert.deepEqual(tops, ['row u1', 'row is-drill'])
    // Where the map stands beside the alarms, exercises are below these all the same, and the map stays at the top.
    await page.locator('.map').waitFor()
    const [alarms, map, exercises] = await page.evaluate<readonly [Box, Box, Box]>(
      "['.rows', '.map', '.drills'].map((part) => document.querySelector(part).getBoundingClientRect().toJSON())",
    )
    assert.equal(exercises.x, alarms.x)
    assert.ok(map.y < 300 && exercises.y >= alarms.y + alarms.height && map.x > alarms.x)
    // An exercise that changes meanwhile is not read out as an alarm.
    api.change(idOf(13), { urgency: 1 })
    await page.locator('.drills').getByText('No answer yet').waitFor()
    await page.getByRole('alert').getByText('No answer yet: Jonas Weber').waitFor()

    await page.evaluate("location.hash = '#/wall'")
    await page.locator('.wall-drills').getByText('1 EXERCISE').waitFor()
    await page.evaluate(`location.hash = '#/incident/${idOf(13)}'`)
    await page.locator('main').getByText('Any SOS without this word is real.').waitFor()
    assert.equal(await page.locator('.map').count(), 0)
    await page.getByRole('button', { name: 'End the exercise' }).click()
    await page.getByRole('dialog').getByText('the exercise is over').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'End the exercise' }).click()
    await page.getByText('by an operator').waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.getByRole('heading', { name: '1 open alarm' }).waitFor()
    assert.equal(await page.locator('.drills').count(), 0)
  })

  test('an alarm that is taken is folded away, until it is pressed again, loses its helper or somebody writes', async (t) => {
    const now = Date.now()
    const by = { kind: 'operator', name: 'Ivo Early' } as const
    const taken = {
      urgency: 4,
      status: 'acknowledged',
      answer: { by, kind: 'acknowledged', at: new Date(now).toISOString(), overdue: false },
      takenBy: { operatorId: idOf(7001), name: by.name, at: new Date(now).toISOString() },
      progress: { message: 'done', call: 'skipped' },
    } as const
    const next = { at: new Date(now + 60_000).toISOString(), what: 'message', channel: 'voice', name: 'Ana' } as const
    const { page, api } = await open(t, {
      signedOut: true,
      open: [itemOf(0, now, { next, progress: { message: 'done', call: 'ahead' } }), itemOf(1, now, taken)],
    })
    await page.addInitScript(NOTE_SOUNDS)
    api.state.signedIn = true
    await page.reload()
    const section = (name: string) => page.getByRole('region', { name, exact: true })
    await section('Unanswered')
      .getByText(/call to Ana in [01]:\d\d/)
      .waitFor()
    await section('Unanswered').getByRole('img', { name: 'Progress: SMS: done, Call: ahead, Answer: ahead' }).waitFor()
    const fold = section('Taken').getByRole('button', { name: 'Taken 1' })
    assert.equal(await fold.getAttribute('aria-expanded'), 'false')
    assert.equal(await page.locator('.row').getByText('Jonas Weber').count(), 0)
    await fold.click()
    await section('Taken').getByText('Jonas Weber').waitFor()
    api.change(idOf(0), { ...taken })
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    await until('both are taken', async () => (await section('Taken').locator('.row').count()) === 2)
    await until('nothing rings', async () => (await page.evaluate('sounds.loops')) === 0)

    api.change(JONAS, { presses: 2, news: { what: 'pressed_again', at: new Date(now).toISOString() } })
    await section('New').getByText('pressed again').waitFor()
    await until('it rings', async () => (await page.evaluate('sounds.loops')) === 1)
    api.change(JONAS, { news: undefined })
    await section('New').waitFor({ state: 'detached' })
    await until('it is quiet', async () => (await page.evaluate('sounds.loops')) === 0)
    const before = await page.evaluate<number>('sounds.once')
    api.change(JONAS, { news: { what: 'message', at: new Date(now).toISOString() } })
    await section('New').getByText('new message').waitFor()
    await until('it is heard', async () => (await page.evaluate<number>('sounds.once')) > before)
    // Opened, it needs no further look.
    await section('New').getByRole('link').click()
    await until('it is seen', async () => api.cases.get(JONAS)?.incident.news === undefined)
  })

  test('a screen shows a part of the alarms, says how many it hides, and keeps that in its address', async (t) => {
    const now = Date.now()
    const far = itemOf(2, now, {
      applicationId: idOf(500),
      applicationName: 'Harbour',
      person: { name: 'Ana Jiménez', phone: null, externalId: 'ana', groups: ['Pilots'] },
      urgency: 3,
      status: 'acknowledged',
      position: { latitude: 54, longitude: 10, altitude: null, at: new Date(now).toISOString() },
    })
    const { page } = await open(t, { at: '#/?area=47,11,48,12', open: [itemOf(0, now), itemOf(1, now), far] })
    const rows = page.locator('.row')
    await page.getByText('2 of 3 alarms are shown here.').waitFor()
    assert.equal(await rows.count(), 2)
    await rows.first().getByRole('link').click()
    await page.getByRole('link', { name: /Back to the board/ }).click()
    await page.getByText('2 of 3 alarms are shown here.').waitFor()
    await page.getByRole('button', { name: 'Show all', exact: true }).click()
    await until('all', async () => (await rows.count()) === 3)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Application').selectOption({ label: 'Harbour' })
    await page.getByText('2 not shown here and without an answer').waitFor()
    assert.match(await page.evaluate<string>('location.hash'), new RegExp(`^#/\\?app=${idOf(500)}$`))
    await page.getByLabel('Application').selectOption({ label: 'All' })
    await page.getByLabel('Group').selectOption({ label: 'Pilots' })
    await page.getByText('1 of 3 alarms are shown here.').waitFor()
    assert.equal(await page.evaluate<string>('location.hash'), '#/?group=Pilots')
    await page.getByLabel('Row height').selectOption('compact')
    assert.equal((await rows.first().boundingBox())?.height, 40)
    assert.deepEqual(await axeFindings(page), [])
  })

  test('a night shift by keyboard alone: look, take, note, end, search, and back, with five keys at most', async (t) => {
    const now = Date.now()
    const { page, api } = await open(t, { open: [itemOf(0, now), itemOf(1, now, { urgency: 0, delivered: false })] })
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const focused = (what: string) =>
      until(`the focus is at ${what}`, () =>
        page.evaluate<boolean>(`document.activeElement?.matches('${what}') === true`),
      )
    const row = (id: string) => `.row[data-id="${id}"] > a`
    await page.locator('.row').nth(1).waitFor()
    await press('Tab')
    await focused('.skip')
    await press('Enter')
    await focused(row(JONAS))
    await press('j')
    await focused(row(idOf(0)))
    await press('ArrowDown', 'k')
    await focused(row(JONAS))
    // The key leads to the button; nothing is taken by one key.
    await press('t')
    await focused('[data-key="take"]')
    assert.equal(api.cases.get(JONAS)?.incident.urgency, 0)
    await press('Enter')
    await until('it is taken', async () => api.cases.get(JONAS)?.incident.urgency === 4)
    await focused('[data-key="result"]')
    await press('n')
    await focused('[data-key="note"]')
    await page.keyboard.type('Heli at dawn, e t j ?')
    await press('Tab', 'Enter')
    await until('it is noted', async () => api.cases.get(JONAS)?.notes.length === 1)
    // A key that led nowhere takes the focus from nobody who types by then.
    await press('t')
    await page.getByLabel('New note').focus()
    api.change(JONAS, { urgency: 1, status: 'active', answer: null })
    await page.locator('[data-key="take"]').waitFor()
    await focused('[data-key="note"]')
    api.change(JONAS, { urgency: 4, status: 'acknowledged' })
    await page.locator('[data-key="take"]').waitFor({ state: 'detached' })
    await page.locator('[data-key="result"]').focus()
    await press('g', 'b')
    await page.getByRole('heading', { name: '2 open alarms' }).waitFor()
    await page.getByRole('button', { name: /^Taken/ }).waitFor()
    await press('j', 'e')
    await page.getByRole('dialog').getByText('Everyone who was alerted is told').waitFor()
    // Keys in a question are its own.
    await press('t', '/')
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.notEqual(api.cases.get(idOf(0))?.incident.urgency, 5)
    await focused('[data-key="end"]')
    await press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'End the alarm' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'End the alarm' }).focus()
    await press('Enter')
    await until('it has ended', async () => api.cases.get(idOf(0))?.incident.urgency === 5)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press('Escape', '?')
    await page.getByRole('dialog').getByText('previous alarm').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press('/')
    await focused('[data-key="search"]')
    assert.deepEqual(api.state.acts, ['take presses=1', 'notes', 'resolve presses=1'])
  })

  test('a quiet board says since when and what it knows, and simulates where the site is', async (t) => {
    const now = Date.now()
    const ended = itemOf(1, now, { status: 'resolved', urgency: 5, closedAt: new Date(now - 600_000).toISOString() })
    const { page, api } = await open(t, { open: [ended] })
    await page.route('**/v1/operator/health', async (route) => {
      const health = await (await route.fetch()).json()
      const canary = { passedAt: new Date(now - 300_000).toISOString(), failuresInARow: 0 }
      await route.fulfill({ json: { ...health, canary } })
    })
    await page.reload()
    const quiet = page.getByRole('region', { name: 'All quiet' })
    for (const said of [
      'The last alarm ended 10 min ago.',
      'Eva Night (you), Ivo Early',
      'off: an alarm is silent here',
      'up: alarms show within a second',
      'passed 5 min ago',
    ])
      await quiet.getByText(said).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await quiet.getByRole('button', { name: 'Simulate an SOS' }).click()
    await page.locator('.row').getByText('EXERCISE').waitFor()
    // Where the last alarm was, about; not in the ocean.
    assert.deepEqual(api.state.changes, [['simulate', { latitude: '47.27', longitude: '11.4' }]])
  })

  test('rows and pins have the same numbers and light up together, and the map moves only when asked', async (t) => {
    const now = Date.now()
    const at = (latitude: number, longitude: number) => ({
      position: { latitude, longitude, altitude: null, at: new Date(now).toISOString() },
    })
    const { page, api } = await open(t, {
      open: [itemOf(0, now, at(47, 11)), itemOf(1, now, at(47.0001, 11.0001)), itemOf(2, now, at(47.5, 12))],
    })
    const rows = page.locator('.row')
    const many = page.locator('.map-pin', { hasText: '×2' })
    await many.waitFor()
    await page.locator('.map-pin', { hasText: /^1$/ }).waitFor()
    await rows.nth(2).hover()
    await page.locator('.map-pin.lit', { hasText: '×2' }).waitFor()
    await many.hover()
    assert.deepEqual(
      await page.evaluate('[...document.querySelectorAll(".row")].map((row) => row.hasAttribute("data-lit"))'),
      [false, true, true],
    )
    const place = async () => (await many.getAttribute('style')) ?? ''
    const before = await place()
    api.add(itemOf(4, now, { ...at(40, 9), openedAt: new Date(now).toISOString() }))
    await rows.nth(3).waitFor()
    api.change(idOf(2), { presses: 4 })
    await page.locator('.map-pin', { hasText: /^4$/ }).waitFor({ state: 'attached' })
    assert.equal(await place(), before)
    await page.getByRole('button', { name: 'Show all pins' }).click()
    const isInside = `(() => {
      const [pin] = [...document.querySelectorAll('.map-pin')].filter((one) => /^(4|1|×[23])$/.test(one.textContent) && one.title.includes('Ana'))
      const [box, map] = [pin, document.querySelector('.map')].map((one) => one.getBoundingClientRect())
      return box.left >= map.left && box.top >= map.top && box.right <= map.right && box.bottom <= map.bottom
    })()`
    await until('the far one is in view', () => page.evaluate<boolean>(isInside))
  })

  test('a change of shift: what is taken over, handed over, left behind and noted', async (t) => {
    const now = Date.now()
    const iso = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
    const [eva, ivo] = [
      { operatorId: idOf(7000), name: 'Eva Night' },
      { operatorId: idOf(7001), name: 'Ivo Early' },
    ] as const
    const answer = (name: string) =>
      ({ by: { kind: 'operator', name }, kind: 'acknowledged', at: iso(-5), overdue: false }) as const
    const taken = { urgency: 4, status: 'acknowledged' } as const
    const wasWith = { name: 'Lea Late', at: iso(-2) }
    const open4 = [
      itemOf(0, now, { urgency: 1, status: 'acknowledged', wasWith }),
      itemOf(1, now, { ...taken, answer: answer(ivo.name), takenBy: { ...ivo, at: iso(-5) } }),
      itemOf(2, now, { ...taken, answer: answer(eva.name), takenBy: { ...eva, at: iso(-5) } }),
    ]
    const { page, api } = await open(t, { signedOut: true, open: open4 })
    await page.addInitScript(NOTE_SOUNDS)
    await page.clock.install()
    api.state.signedIn = true
    const note = { by: ivo, at: iso(-60), text: 'The generator is off until noon.' }
    api.state.shift = { ...api.state.shift, notes: [note] }
    await page.reload()
    const rows = page.locator('.row')
    await rows.getByText('was with Lea Late').waitFor()
    await rows.getByText(/Unanswered/).waitFor()
    await page.getByText('On shift: Eva Night (you), Ivo Early').waitFor()
    await page.getByText('On call: Lea Late').waitFor()

    await page.getByRole('button', { name: /^Mine/ }).click()
    await until('only hers', async () => (await rows.count()) === 1)
    await page.getByText('1 not shown here and without an answer').waitFor()
    await page.getByRole('button', { name: /^Nobody’s/ }).click()
    await rows.getByText('Mia Gruber').waitFor()
    await page.getByRole('button', { name: /^All/ }).click()

    await page.locator('.shift-note').getByText('The generator is off').waitFor()
    await page.getByRole('button', { name: 'Confirm: read' }).click()
    await page.locator('.shift-note').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Hand over all of mine (1)' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('They stay yours until it is accepted.').waitFor()
    const offer = { from: eva, to: ivo, offeredAt: iso(0), endsAt: iso(5), state: 'offered', answeredAt: null } as const
    await dialog.getByRole('button', { name: 'Offer' }).click()
    await dialog.waitFor({ state: 'detached' })
    api.state.shift = { ...api.state.shift, handOvers: [offer] }
    await page.clock.runFor(10_000)
    const news = page.getByRole('complementary', { name: 'Shift' })
    await news.getByText('Offered to Ivo Early.').waitFor()
    // The alarm that is left behind is taken, so that nothing else sounds.
    api.change(idOf(0), { ...taken, wasWith: undefined, answer: answer(ivo.name), takenBy: { ...ivo, at: iso(0) } })
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    const before = await page.evaluate<number>('sounds.once')
    api.state.shift = { ...api.state.shift, handOvers: [{ ...offer, state: 'lapsed' }] }
    await page.clock.runFor(10_000)
    await news.getByText('NOT handed over: Ivo Early did not accept in time.').waitFor()
    await until('it is heard', async () => (await page.evaluate<number>('sounds.once')) > before)
    await news.getByRole('button', { name: 'I have read it' }).click()
    await news.waitFor({ state: 'detached' })

    const later = new Date(await page.evaluate<number>('Date.now()')).toISOString()
    const mine = { urgency: 4 as const, answer: answer(ivo.name), takenBy: { ...ivo, at: later, from: eva } }
    api.change(idOf(2), mine)
    await news.getByText('Ivo Early has taken over the alarm of Élodie Martin from you.').waitFor()
    await news.getByRole('link', { name: /Élodie Martin/ }).click()
    await page.getByRole('button', { name: 'Take over from Ivo Early' }).click()
    await page.getByText('Eva Night has taken it').waitFor()
    await news.waitFor({ state: 'detached' })

    const back = {
      ...offer,
      from: ivo,
      to: eva,
      offeredAt: later,
      endsAt: new Date(Date.parse(later) + 300_000).toISOString(),
    }
    api.state.shift = { ...api.state.shift, handOvers: [back] }
    await page.clock.runFor(10_000)
    await news.getByText('Ivo Early wants to hand everything over to you. Open alarms: 2.').waitFor()
    await news.getByRole('button', { name: 'Accept' }).click()
    await news.waitFor({ state: 'detached' })
    assert.deepEqual(api.state.changes, [
      ['shift/note/confirm', { by: ivo.operatorId, at: note.at }],
      ['shift/hand-over', { to: ivo.operatorId }],
      ['shift/hand-over', null],
      ['shift/hand-over/accept', { from: ivo.operatorId }],
    ])
    assert.deepEqual(await axeFindings(page), [])
  })

  test('a second place stands with source and age, and who has raised the alarm in words', async (t) => {
    const now = Date.now()
    const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
    const place = { latitude: 47.1, longitude: 11.3, altitude: null }
    const other = { ...place, latitude: 46.5, at: at(1), source: 'other' as const }
    const own = { ...place, at: at(12), source: 'session' as const }
    const raisedThrough = { deviceId: 'TRK-1' }
    const item = itemOf(1, now, { position: other, places: [other, own], raisedThrough })
    const { page } = await open(t, { open: [item] })
    const raised = 'Raised through TRK-1, by another user of the service.'
    for (const hash of ['#/', '#/wall', `#/incident/${JONAS}`]) {
      await page.evaluate(`location.hash = '${hash}'`)
      const main = page.locator('main')
      await main.getByText(raised).waitFor()
      await main.getByText(/1 min ago: tracker, through another user|another user, 1 min ago/).waitFor()
      await main.getByText(/12 min ago: phone|phone, 12 min ago/).waitFor()
    }
    for (const written of ['46.50000, 11.30000', '47.10000, 11.30000']) {
      await page.locator('.facts').getByText(written).waitFor()
    }
    assert.deepEqual(await axeFindings(page), [])
  })

  test('a press that arrived late is dated by the press, on every page', async (t) => {
    const now = Date.now()
    const [pressed, arrived] = [now - 9_060_000, now - 60_000].map((at) => new Date(at).toISOString())
    const late = itemOf(1, now, { pressedAt: pressed!, lateSeconds: 9_000, openedAt: arrived! })
    const { page, api } = await open(t, { open: [late] })
    const clock = (iso: string) => page.evaluate<string>(`new Date('${iso}').toTimeString().slice(0, 5)`)
    // For some hours after midnight with the day, which was another one.
    const said = new RegExp(`pressed .*${await clock(pressed!)}.*, arrived 2 h 30 min later`)
    const row = page.locator('.row')
    await row.getByText(said).waitFor()
    await row.getByText('late', { exact: true }).waitFor()
    await row.locator('.row-age').getByText('2 h').waitFor()
    await page.evaluate("location.hash = '#/wall'")
    const card = page.locator('.wall li')
    await card.getByText('arrived 2 h 30 min later').waitFor()
    await card.locator('.age').getByText('2 h').waitFor()
    await page.evaluate("location.hash = '#/history'")
    const cell = page
      .getByRole('row', { name: /Jonas Weber/ })
      .locator('td')
      .first()
    assert.match((await cell.textContent())!, new RegExp(`${await clock(pressed!)}.*arrived 2 h 30 min later`))
    const found = api.cases.get(JONAS)!
    const timeline = [
      { at: pressed!, kind: 'pressed' as const, late: true as const },
      { at: arrived!, kind: 'arrived' as const, pressedAt: pressed! },
    ]
    api.cases.set(JONAS, { ...found, timeline })
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await page.locator('.case-lines').getByText('SOS 2 h ago').waitFor()
    await page
      .locator('.case-lines')
      .getByText(/^arrived 2 h 30 min later, \d\d:\d\d/)
      .waitFor()
    const lines = await page.locator('.timeline li').allTextContents()
    assert.match(lines[0]!, new RegExp(`${await clock(pressed!)}.*SOS pressed late`))
    assert.match(lines[1]!, new RegExp(`${await clock(arrived!)}.*SOS arrived.*2 h 30 min later`))
  })

  test('a new alarm counts down to its first SMS, and is marked until somebody has opened it', async (t) => {
    const now = Date.now()
    const firstMessage = { channel: 'sms', at: new Date(now + 60_000).toISOString() } as const
    const { page, api } = await open(t, {
      open: [itemOf(1, now, { urgency: 0, delivered: false, firstMessage, new: true })],
    })
    const row = page.locator('.row')
    await row.getByText(/New: first SMS in \d\d s/).waitFor()
    await row.getByText('NEW', { exact: true }).waitFor()
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await until('it is seen', async () => api.cases.get(JONAS)?.incident.new === false)
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await row.getByText(/New: first SMS/).waitFor()
    assert.equal(await row.getByText('NEW', { exact: true }).count(), 0)
    api.change(JONAS, { firstMessage: null })
    await row.getByText('Nobody reached').waitFor()
    // Who may only look marks nothing.
    api.change(JONAS, { new: true })
    api.state.role = 'viewer'
    // Nor can they set up a provider, so they read who can.
    await page.route('**/v1/operator/health', async (route) => {
      const health = await (await route.fetch()).json()
      await route.fulfill({ json: { ...health, keepsMessages: true, administrators: ['Eva Night', 'Tom'] } })
    })
    await page.reload()
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await page.getByText('You have read-only access.').waitFor()
    await page.locator('.case-lines').getByText('NEW', { exact: true }).waitFor()
    await page.getByText('nobody is alerted. Ask an administrator: Eva Night, Tom.').waitFor()
  })

  test('a stream that was cut is taken up again, and the page says so meanwhile', async (t) => {
    const { page, api } = await open(t, { expected: CUT })
    await page.getByText('Live').waitFor()
    api.state.deaf = true
    api.cut()
    await page.getByText('this screen shows no new alarms').waitFor()
    // Meanwhile, unheard:
    api.change(JONAS, { urgency: 0, delivered: false, presses: 7 })
    api.state.deaf = false
    await page.getByText('7 presses').waitFor()
    await page.getByText('Live').waitFor()
    // One that never comes about is no quiet night either, also where something else answers.
    for (const state of [{ deaf: true }, { deaf: false, captive: true }]) {
      Object.assign(api.state, state)
      await page.reload()
      await page.getByText('this screen shows no new alarms').waitFor()
    }
  })

  test('after 30 s without a heartbeat it sounds, on a quiet night as well, until the line is back', async (t) => {
    const { page, api } = await open(t, { expected: CUT, signedOut: true, open: [] })
    await page.clock.install()
    await page.addInitScript(NOTE_SOUNDS)
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Live').waitFor()
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    await stopClock(page)
    api.state.deaf = true
    api.cut()
    await page.getByText('No connection', { exact: true }).waitFor()
    await page.clock.runFor(10_000)
    await page.getByText('this screen shows no new alarms').waitFor()
    assert.equal(await page.evaluate('sounds.loops'), 0)
    await page.clock.runFor(25_000)
    await until('it sounds', async () => (await page.evaluate('sounds.loops')) === 1)
    await page.getByRole('alert').getByText('No connection').waitFor()
    api.state.deaf = false
    await page.clock.resume()
    await page.clock.fastForward(15_000)
    await page.getByText('Live').waitFor()
    await until('it is quiet again', async () => (await page.evaluate('sounds.loops')) === 0)
  })

  test('a position by telemetry, which leaves no event, shows within 30 s on the board', async (t) => {
    const { page, api } = await open(t, { signedOut: true })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    const row = page.locator('.row', { hasText: 'Jonas Weber' })
    await row.getByText('Position 4 min ago').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await stopClock(page)
    api.moves(JONAS, { latitude: 47.5, at: new Date(Date.now() - 90_000).toISOString() })
    const read = page.waitForResponse('**/incidents?state=open&limit=100')
    await page.clock.runFor(12_000)
    // It has heard in between: with a new stream the page would read everything.
    api.change(idOf(2), { presses: 5 })
    await drawn(page, page.getByText('5 presses'))
    await page.clock.runFor(18_000)
    await read
    await row.getByText(/^Position [12] min ago/).waitFor()
  })

  test('a page that is loaded again says that the browser keeps it silent, wherever it is scrolled to', async (t) => {
    const { page } = await open(t, { at: `#/incident/${JONAS}`, width: 320 })
    const SOUND = "localStorage.getItem('tocsin.sound')"
    // As an earlier shift left it, in a browser that wants a click. What a test asks of a page is one to Chromium.
    await page.addInitScript(`
      const { resume } = AudioContext.prototype
      let isClicked = false
      addEventListener('click', () => { isClicked = true }, { capture: true })
      AudioContext.prototype.resume = function () { return isClicked ? resume.call(this) : new Promise(() => {}) }
      Object.defineProperty(AudioContext.prototype, 'state', { get: () => (isClicked ? 'running' : 'suspended') })
    `)
    await page.evaluate("localStorage.setItem('tocsin.sound', 'on')")
    await page.reload()
    await page.getByText('The browser blocks sound').waitFor()
    await page.getByText('Timeline').waitFor()
    await page.evaluate('scrollTo(0, 600)')
    const top = (await page.getByText('The browser blocks sound').boundingBox())?.y
    assert.ok(top !== undefined && top >= 0 && top < 50, `the banner is at ${top} px`)
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    await page.getByText('The browser blocks sound').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sound on' }).click()
    await page.getByRole('button', { name: 'Sound off' }).waitFor()
    assert.equal(await page.evaluate(SOUND), null)
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    assert.equal(await page.evaluate(SOUND), 'on')
  })

  test('5,000 open incidents: only those in sight are in the page, and the last can be reached', async (t) => {
    const now = Date.now()
    const many: readonly Item[] = Array.from({ length: 5000 }, (_, n) =>
      itemOf(n, now, { person: { name: `P${n}`, phone: null, externalId: '' } }),
    )
    const { page } = await open(t, { open: many })
    await page.getByRole('heading', { name: '5000 open alarms' }).waitFor()
    // With the keyboard, the alarms are not behind hundreds of pins; and their names do not cover each other.
    await page.locator('.map-pin').first().waitFor()
    assert.equal(await page.locator('.map-pin[tabindex]').count(), 0)
    assert.equal(await page.locator('.map-label').count(), 0)
    assert.ok((await page.locator('.row').count()) < 60)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByText('P0', { exact: true }).waitFor()
  })

  test('a row has the name in full, says how much battery is left, and cuts no line in half, in any language', async (t) => {
    const now = Date.now()
    const answer = {
      by: { kind: 'contact', name: 'Alexander' },
      kind: 'coming',
      etaMinutes: 30,
      overdue: true,
    } as const
    const at = new Date(now - 59 * 60_000).toISOString()
    const battery = { device: 'critical', deviceAt: at } as const
    const acknowledged = {
      urgency: 3,
      status: 'acknowledged',
      answer: { ...answer, at: new Date(now).toISOString() },
    } as const
    const { page } = await open(t, {
      open: [
        itemOf(1, now, { ...acknowledged, battery: { phone: 100, phoneAt: at } }),
        itemOf(2, now, { battery, new: true, presses: 12, lateSeconds: 9000, reason: 'overdue' }),
      ],
    })
    await page.locator('.row .battery').nth(1).waitFor()
    await page.locator('.row .battery', { hasText: '59 min' }).nth(1).waitFor()
    const cut = `[...document.querySelectorAll('.row-state, .row-state > .words, .row-where, .battery, .row-who > :first-child')]
      // Beside four tags, a phone has no room for a name in every language.
      .filter((part) => innerWidth > 390 || !part.matches('.row-who > *'))
      .filter((part) =>
        part.scrollHeight > part.clientHeight + 1 ||
        (part.matches('.battery, .row-who > *') && part.scrollWidth > part.clientWidth))
      .map((part) => part.textContent)`
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      for (const language of ['en', 'de', 'fr', 'it', 'es']) {
        await page.evaluate(`{
          const choice = document.querySelector('.account select')
          choice.value = '${language}'
          choice.dispatchEvent(new Event('change', { bubbles: true }))
        }`)
        await until('it is spoken', async () => (await page.evaluate('document.documentElement.lang')) === language)
        assert.deepEqual(await page.evaluate(cut), [], `${language}, ${width} px`)
      }
    }
  })

  test('a phone has the filters and what may be one event above the first row, a 4K screen has larger letters', async (t) => {
    const now = Date.now()
    const { page } = await open(t, { width: 390, open: [0, 1, 2].map((n) => itemOf(n, now)) })
    const offer = page.getByRole('link', { name: 'One event? 3' })
    await offer.waitFor()
    const filters = ['Mine', 'Filter', 'Map', 'Shift'].map((name) => page.getByRole('button', { name }))
    for (const part of [offer, ...filters]) {
      const box = (await part.boundingBox())!
      assert.ok(box.x >= 0 && box.x + box.width <= 390, `${await part.textContent()}: ${box.x + box.width}`)
    }
    const first = page.locator('.row').first()
    assert.ok((await first.boundingBox())!.y <= 120)
    const letters = () => page.evaluate<string>("getComputedStyle(document.querySelector('.row strong')).fontSize")
    assert.equal(await letters(), '16px')
    await page.setViewportSize({ width: 3840, height: 2160 })
    assert.equal(await letters(), '24px')
    assert.equal((await first.boundingBox())?.height, 1.5 * 52)
  })

  test('a window that becomes narrow is as wide as the page, and the map keeps what is on it', async (t) => {
    const { page } = await open(t)
    await page.locator('.map-pin').first().waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    // Or is enlarged: the alarms come first.
    await page.locator('.map').waitFor({ state: 'detached' })
    assert.ok((await page.locator('.row').first().boundingBox())!.y <= 200)
    await page.getByRole('button', { name: 'Map' }).click()
    const right = (of: string) => page.evaluate<number>(`document.querySelector('${of}').getBoundingClientRect().right`)
    await until('the map is narrow', async () => (await right('.map')) < 390)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    assert.ok((await right('.leaflet-control-attribution')) <= (await right('.map')))
  })

  test('the age counts by the server’s clock, and a browser whose clock is wrong says so', async (t) => {
    const { page } = await open(t, { now: Date.now() - 3 * 3_600_000, open: [itemOf(1, Date.now() - 3 * 3_600_000)] })
    await page.getByText('This computer’s clock is wrong').waitFor()
    await page.locator('.row-age').getByText('7 min').waitFor()
  })
})
