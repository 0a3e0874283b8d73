import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Route } from 'playwright-core'
import { APP_ID, idOf, itemOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { consoleBrowser, drawn, JONAS, stopClock } from './console-page.ts'

suite('the console in a browser: an incident and the exercises', needsBrowser, () => {
  const { open } = consoleBrowser()

  test('somebody signs in, hears the alarm, takes an incident, thinks better of it, and ends it', async (t) => {
    const { page, api } = await open(t, { signedOut: true, open: [] })
    await page.getByLabel('Login').fill('eva')
    await page.getByLabel('Password').fill('wrong')
    await page.getByLabel('Code').fill('123456')
    await page.keyboard.press('Enter')
    await page.getByText('That doesn’t match').waitFor()
    await page.getByLabel('Password').fill('correct horse')
    await page.keyboard.press('Enter')
    await page.getByText('No open alarms.').waitFor()
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    await page.getByText('Live').waitFor()

    api.add(itemOf(1, Date.now()))
    await page.getByRole('button', { name: 'Silence here' }).waitFor()
    await until('the title counts', async () => (await page.title()) === '(1!) Tocsin')
    await page.getByRole('alert').getByText('No answer yet: Jonas Weber').waitFor()
    await page.getByRole('button', { name: 'Silence here' }).click()
    await page.getByText('Silent for').waitFor()
    api.change(JONAS, { presses: 2 })
    await page.getByRole('button', { name: 'Silence here' }).waitFor()

    await page.getByRole('link', { name: /Jonas Weber/ }).click()
    assert.equal(await page.getByRole('link', { name: 'Call +436601234567' }).getAttribute('href'), 'tel:+436601234567')
    await page.getByRole('button', { name: 'I’ll take it' }).click()
    await page.getByText('Eva Night has taken it').waitFor()
    await page.getByRole('button', { name: 'Silence here' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'I’ll take it' }).waitFor()
    await page.getByRole('button', { name: 'End the alarm' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const focused = () => page.evaluate('document.activeElement.textContent')
    await until('the focus is back', async () => (await focused()) === 'End the alarm')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('How did it turn out?').selectOption('hospital')
    await page.getByRole('dialog').getByLabel('In a sentence').fill('Broken leg')
    await page.getByRole('dialog').getByRole('button', { name: 'End the alarm' }).click()
    await page.getByText('by an operator').waitFor()
    await page.getByText('brought to hospital: Broken leg', { exact: true }).waitFor()
    await until('the title counts nothing', async () => (await page.title()) === 'Tocsin')
  })

  test('the card of the person is asked for when somebody presses, and not shown to a viewer', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${JONAS}` })
    await page.getByText('Each look is recorded with your name.').waitFor()
    const looks = () => (api.state.changes as [string, unknown][]).filter(([what]) => what === 'card')
    assert.deepEqual(looks(), [])
    await page.getByRole('button', { name: 'Show card' }).click()
    for (const text of ['German', 'deaf', '1961', 'Insulin in the red bag']) {
      await page.getByText(text, { exact: true }).waitFor()
    }
    assert.deepEqual(looks(), [['card', { id: JONAS }]])
    api.state.conflict = 'Over.'
    api.state.conflictReason = 'card_hidden'
    await page.reload()
    await page.getByRole('button', { name: 'Show card' }).click()
    await page.getByText('The card is shown only while a real alert of this person is open.').waitFor()
  })

  test('what the person writes is shown as whose phone it came from, and an operator writes back', async (t) => {
    const from = { kind: 'person', contactId: null, name: 'Jonas Weber', phone: null, channel: 'app' } as const
    const line = { n: 1, at: new Date().toISOString(), from, text: 'Sí', quickReply: 'yes', to: 'all' } as const
    const fine = { ...line, n: 2, text: "I'm fine", quickReply: null, unconfirmed: true as const }
    const readers = [
      { contactId: idOf(1), name: 'Ana', now: true },
      { contactId: idOf(2), name: 'Ben', now: false },
    ]
    const { page, api } = await open(t, { at: `#/incident/${JONAS}` })
    const { unconfirmed: _, ...plain } = fine
    const answer = { ...plain, from: { ...from, kind: 'operator', name: 'Eva', channel: 'console' } } as const
    const more = [3, 4, 5].map((n) => ({ ...answer, n, text: `answer ${n}` }))
    const ways = [
      { n: 3, way: 'sent' },
      { n: 4, way: 'failed' },
      { n: 5, way: 'waits', until: new Date().toISOString() },
    ] as const
    const sms = { phone: '+436641234567', lines: ways }
    api.change(JONAS, {}, { talk: { mayWrite: true, to: 'desk', readers, items: [line, fine, ...more], sms } })
    const list = page.getByRole('list').filter({ hasText: 'From Jonas Weber’s phone' })
    await list.getByText('Yes', { exact: true }).waitFor()
    await list.getByText('Nobody else has confirmed it.').waitFor()
    await page.getByText('No contact reads it. It reaches the person in the app and by SMS at +436641234567').waitFor()
    for (const [text, way] of [
      ['answer 3', / · SMS sent$/],
      ['answer 4', / · not sent by SMS$/],
      ['answer 5', / · SMS from .*: the hour’s texts are used up$/],
    ] as const)
      await list.getByRole('listitem').filter({ hasText: text }).locator('small').filter({ hasText: way }).waitFor()
    await page.getByLabel('Who reads it').selectOption('all')
    await page.getByText('Contacts who read it: Ana, Ben (once helping).').waitFor()
    await page.getByLabel('Write to the person').fill('Can you move?')
    await page.getByRole('button', { name: 'Send message' }).click()
    await list.getByText('Can you move?').waitFor()
    assert.equal(await page.getByLabel('Write to the person').inputValue(), '')
    assert.equal(api.state.said.length, 1)
    api.change(JONAS, { silent: true }, { talk: { mayWrite: false, to: 'all', readers: [], items: [line], sms: null } })
    await page.getByLabel('Write to the person').waitFor({ state: 'detached' })
  })

  test('an exercise is started by who may, after a word about who is told, and again with what stands in the way', async (t) => {
    const { page, api } = await open(t, { at: `#/person/${idOf(9000)}` })
    const start = page.getByRole('button', { name: 'Start an exercise' })
    const dialog = page.getByRole('dialog')
    await page.getByText('Add an emergency contact.').waitFor()
    await page.getByRole('row', { name: /outbox.*after 95 s/i }).waitFor()
    assert.equal(await page.getByText('after 48 s').count(), 0, 'it is that of somebody else')
    await start.click()
    await dialog.getByText('No phone rings').waitFor()
    await dialog.getByRole('button', { name: 'Start an exercise' }).click()
    await page.getByText('Exercises started: 1.').waitFor()
    await start.click()
    // Never as it was left.
    assert.equal(await dialog.getByLabel('phones').isChecked(), false)
    await dialog.getByLabel('phones').check()
    await dialog.getByText('begin with EXERCISE: Ana Gruber, Ben Hofer, Night desk.').waitFor()
    await dialog.getByRole('button', { name: 'Start an exercise' }).click()
    await page.getByText('user-0: not started, because these contacts had one within the last hour.').waitFor()
    await page.getByRole('button', { name: 'End open exercises' }).click()
    await dialog.getByRole('button', { name: 'End open exercises' }).click()
    await page.getByText('Exercises ended: 1.').waitFor()
    const who = { app: APP_ID, user: 'user-0' }
    assert.deepEqual(api.state.changes, [
      ['drills', { ...who, contacts: false }],
      ['drills', { ...who, contacts: true }],
      ['drills/end', who],
    ])

    await page.evaluate(`location.hash = '#/application/${APP_ID}'`)
    await page.getByText('The last 90 days').click()
    await page.getByRole('row', { name: /user-5.*after 48 s.*✕ 1/ }).waitFor()
    api.state.conflict = 'Too many.'
    await start.click()
    await dialog.getByText('up to 100').waitFor()
    await dialog.getByRole('button', { name: 'Start an exercise' }).click()
    await page
      .getByText(/More than 100 users|Someone else was first/)
      .first()
      .waitFor()
    api.state.conflict = null
    await page.getByRole('link', { name: 'Who could not be helped today' }).click()
    await page.getByRole('link', { name: 'Mia Gruber' }).waitFor()
    const asked = page.waitForRequest((request) => /finding=contact_declined/.test(request.url()))
    await page.getByLabel('Problem').selectOption('contact_declined')
    assert.match((await asked).url(), /status=not_ready/)
    assert.match((await asked).url(), new RegExp(`app=${APP_ID}`))

    await page.evaluate("location.hash = '#/history'")
    await page.getByText('Jonas Weber').first().waitFor()
    assert.equal(await page.getByText('EXERCISE', { exact: true }).count(), 0)
    await page.getByLabel('Exercises instead of alarms').check()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('td').getByText('EXERCISE', { exact: true }).waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
  })

  test('without a network no page is blank, a take is refused in words, and notes are sent later', async (t) => {
    const { page, api } = await open(t, { signedOut: true, at: '#/', expected: /status of (40[139]|503)|ERR_/ })
    await page.clock.install()
    // One case that fails keeps no other from being read.
    await page.route(`**/${idOf(0)}?ahead=true`, (route) => route.fulfill({ status: 503 }))
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    // Nobody has opened it, and it was read all the same.
    const read = page.waitForResponse((response) => response.url().endsWith(`${JONAS}?ahead=true`))
    await until('it is read', () => page.clock.runFor(1000).then(() => Promise.race([read, null])))
    await page.clock.resume()
    api.state.cutOff = true
    api.cut()
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await page.getByText(/^as of \d\d:\d\d.*, no connection$/).waitFor()
    await page.locator('.timeline').getByText('SOS pressed').waitFor()
    await page.getByRole('button', { name: 'I’ll take it' }).click()
    for (let second = 0; second < 16; second++) await page.clock.runFor(1000)
    await page.getByText('NOT taken: no connection.').waitFor()
    const call = page.getByRole('link', { name: 'Call +436601234567' }).last()
    assert.equal(await call.getAttribute('href'), 'tel:+436601234567')
    const menu = page.locator('.account summary')
    await menu.click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('NOT signed out: no connection. Try again.').waitFor()
    await menu.click()
    await page.getByLabel('New note').fill('Rope team has left')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.notes').getByText('not sent yet').waitFor()
    await page.evaluate("location.hash = '#/'")
    await page
      .locator('main')
      .getByText(/^as of .*, no connection$/)
      .waitFor()
    await page.locator('.row').getByText('Jonas Weber').waitFor()
    // A list that could not be read is read with the next connection, without a click.
    await page.evaluate("location.hash = '#/history'")
    await page
      .locator('main')
      .getByText(/^The server (can’t|could not)/)
      .first()
      .waitFor()

    api.state.cutOff = false
    await page.clock.fastForward(20_000)
    await until('the note is sent', async () => {
      await page.clock.runFor(1000)
      return api.state.acts.includes('notes')
    })
    assert.deepEqual(api.state.acts, ['notes'], 'and nothing is taken later')
    await until('the list is there', async () => {
      await page.clock.runFor(1000)
      return page.locator('td').getByText('Jonas Weber').isVisible()
    })
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await page.getByRole('button', { name: 'I’ll take it' }).click()
    await page.getByText('Eva Night has taken it').waitFor()
    assert.equal(api.state.acts.at(-1), 'take presses=1')
  })

  test('a note that waited and is refused is back in its field, and every page says so', async (t) => {
    const { page, api } = await open(t, {
      signedOut: true,
      at: `#/incident/${JONAS}`,
      expected: /status of (40[139]|503)|ERR_/,
    })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByLabel('New note').waitFor()
    api.state.cutOff = true
    await page.getByLabel('New note').fill('Rope team has left')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.notes').getByText('not sent yet').waitFor()
    await page.evaluate("location.hash = '#/'")
    api.state.conflict = 'Full.'
    api.state.conflictReason = 'note_limit'
    api.state.cutOff = false
    const banner = page.getByText('A note was NOT saved. It is back in its field: Jonas Weber')
    await until('it is refused', async () => {
      await page.clock.runFor(1000)
      return banner.isVisible()
    })
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await page.getByRole('alert').getByText('NOT saved:').waitFor()
    assert.equal(await page.getByLabel('New note').inputValue(), 'Rope team has left')
    await banner.waitFor({ state: 'detached' })
    api.state.conflict = null
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('.notes').getByText('Rope team has left').waitFor()
    await page.getByText('NOT saved:').waitFor({ state: 'detached' })
  })

  test('a take is refused, and says so, where the person has pressed again or somebody else has it', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${JONAS}` })
    const take = page.getByRole('button', { name: 'I’ll take it' })
    await take.waitFor()
    await page.getByLabel('New note').fill('Half a sentence')
    api.state.conflict = 'English.'
    for (const [reason, said] of [
      ['pressed_again', 'NOT taken: the person has pressed again.'],
      ['taken_by_another', 'NOT taken: someone else has taken it.'],
    ] as const) {
      api.state.conflictReason = reason
      await take.click()
      await page.getByText(said).waitFor()
      assert.equal(await page.getByLabel('New note').inputValue(), 'Half a sentence')
    }
    // What answers in place of the service is no connection: it is tried again.
    api.state.conflict = null
    const wifi = { contentType: 'text/html', body: '<p>Welcome to the Wi-Fi of the hut</p>' }
    await page.route('**/take?**', (route) => route.fulfill(wifi), { times: 1 })
    await take.click()
    await page.getByText('Eva Night has taken it').waitFor()
  })

  test('an end counts for what the screen showed when it was asked for; more presses are said', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${JONAS}` })
    const end = page.getByRole('button', { name: 'End the alarm' })
    await end.first().click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'End the alarm' })
    api.change(JONAS, { presses: 2, lastPressAt: new Date().toISOString() })
    await page.getByText(/, again /).waitFor()
    api.state.conflict = 'English.'
    api.state.conflictReason = 'pressed_again'
    await confirm.click()
    await page.getByText('NOT ended: the person has pressed again.').waitFor()
    api.state.conflict = null
    await end.first().click()
    await confirm.click()
    await page.getByText('Ended').first().waitFor()
    assert.equal(api.state.acts.at(-1), 'resolve presses=2')
  })

  test('where the session ends in the middle of a note, the note is sent after the next sign-in', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${JONAS}` })
    await page.getByLabel('New note').fill('Helicopter on its way <b>')
    api.state.endsAt = '/notes'
    await page.getByRole('button', { name: 'Add note' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Your session has ended').waitFor()
    await dialog.getByLabel('Password').fill('correct horse')
    await dialog.getByLabel('Code').fill('123456')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('.notes').getByText('Helicopter on its way <b>').waitFor()
    await page.getByRole('button', { name: 'Add note', disabled: true }).waitFor()

    // Another tab has signed somebody else in: nothing is done here in their name.
    const signsIn = (route: Route) => {
      api.state.operatorId = idOf(7001)
      return route.continue()
    }
    await page.route('**/notes', signsIn, { times: 1 })
    await page.getByLabel('New note').fill('From Eva')
    await page.getByRole('button', { name: 'Add note' }).click()
    await dialog.getByText('Your session has ended').waitFor()
    assert.equal(api.cases.get(JONAS)?.notes.length, 1)
    await dialog.getByLabel('Password').fill('correct horse')
    await dialog.getByLabel('Code').fill('123456')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('.notes').getByText('From Eva').waitFor()
  })

  test('after a sign-in the screen is live at once, however long nobody was signed in', async (t) => {
    const { page, api } = await open(t, { signedOut: true, expected: /status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/ })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    let streams = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) streams += 1
    })
    api.state.signedIn = false
    api.cut()
    await until('it is asked for rarely', async () => {
      await page.clock.fastForward(30_000)
      return streams > 8
    })
    await stopClock(page)
    const dialog = page.getByRole('dialog')
    await drawn(page, dialog.getByText('Your session has ended'))
    const asked = streams
    await until('it has just been asked for', async () => {
      await page.clock.runFor(500)
      return streams > asked
    })
    await dialog.getByLabel('Password').fill('correct horse')
    await dialog.getByLabel('Code').fill('123456')
    const before = await page.evaluate<number>('Date.now()')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    let polls = 0
    page.on('request', (request) => {
      if (/limit=100$|\/health$/.test(request.url())) polls += 1
    })
    await drawn(page, page.getByText('Live', { exact: true }))
    assert.ok((await page.evaluate<number>('Date.now()')) - before < 5000)
    assert.ok(polls <= 2, `${polls} requests have waited for the sign-in`)
  })

  test('a position by telemetry shows within 20 s in the incident', async (t) => {
    const { page, api } = await open(t, { signedOut: true, at: `#/incident/${JONAS}` })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Timeline').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await stopClock(page)
    api.moves(JONAS, { latitude: 48 })
    // It has heard just now: the 20 s are too short for a new stream, with which the page would read everything.
    api.add(itemOf(8, Date.now()))
    await drawn(page, page.locator('.brand').getByText('5', { exact: true }))
    await page.clock.runFor(20_000)
    await page.getByText('48.00000, ').waitFor()
  })

  test('of two changes that come together, the open one is shown, and is seen by whoever moves or types then', async (t) => {
    const { page, api } = await open(t, { signedOut: true, at: `#/incident/${JONAS}` })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Timeline').waitFor()
    await page.clock.fastForward(6_000)
    const news = { what: 'pressed_again', at: new Date().toISOString() } as const
    api.change(JONAS, { urgency: 4, presses: 7, news })
    api.change(idOf(2), { presses: 2 })
    await page.locator('.case-lines').getByText('7 presses').waitFor()
    await page.clock.runFor(1_000)
    // Nobody may be there.
    assert.equal(api.cases.get(JONAS)?.incident.news?.what, 'pressed_again')
    await page.clock.resume()
    await page.mouse.move(300, 300)
    await page.mouse.move(320, 300)
    await until('it is seen', async () => api.cases.get(JONAS)?.incident.news === undefined)
    // A screen reader only clicks.
    api.change(JONAS, { presses: 8, news })
    await page.getByText('8 presses').waitFor()
    await page.locator('.case h1').dispatchEvent('click')
    await until('it is seen', async () => api.cases.get(JONAS)?.incident.news === undefined)

    // An answer that is slower than the end puts nothing back.
    const answer = Promise.withResolvers<void>()
    await page.route('**/notes', async (route) => {
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    await page.getByLabel('New note').fill('Slow')
    await page.getByRole('button', { name: 'Add note' }).click()
    await until('it is noted', async () => api.cases.get(JONAS)?.notes.length === 1)
    api.change(JONAS, { status: 'resolved', urgency: 5, closedAt: new Date().toISOString() })
    const count = page.locator('.brand .count')
    await count.getByText('3', { exact: true }).waitFor()
    answer.resolve()
    await page.locator('.notes').getByText('Slow').waitFor()
    // Nor does the page stay with it.
    const end = page.getByRole('button', { name: 'End the alarm' })
    await end.waitFor({ state: 'detached', timeout: 10_000 })
    assert.equal(await count.textContent(), '3')
  })

  test('an alarm that was ended stays on the board while presses are put off, and alarms again at a click', async (t) => {
    const { page, api } = await open(t, { at: '#/' })
    const putOff = { until: new Date(Date.now() + 900_000).toISOString() }
    const row = page.getByRole('link', { name: /Jonas Weber/ })
    await row.waitFor()
    const ended = { urgency: 5, status: 'resolved', closedAt: new Date().toISOString() } as const
    api.change(JONAS, { ...ended, putOff })
    await row.getByText(/Still being pressed, put off until/).waitFor()
    await row.click()
    await page.getByRole('button', { name: 'Alarm now' }).click()
    await until('the new alarm shows', async () => page.url().endsWith(`#/incident/${idOf(2)}`))
    assert.ok(api.state.acts.includes('alarm-now'))
  })

  test('a viewer sees everything and has nothing to press', async (t) => {
    const { page } = await open(t, { role: 'viewer', at: `#/incident/${JONAS}` })
    await page.getByText('You have read-only access.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'I’ll take it' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'System' }).count(), 0)
  })

  test('where somebody else was first, the page says so; of a person who has been erased it keeps nothing', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${JONAS}`, expected: /status of 40[1349]|ERR_/ })
    const take = page.getByRole('button', { name: 'I’ll take it' })
    await take.waitFor()
    api.state.conflict = 'Max has taken it.'
    await take.click()
    await page.getByText('Someone else was first. Look at what has changed').waitFor()
    api.cases.delete(JONAS)
    api.cut()
    await take.waitFor({ state: 'detached' })
    await until('nothing is left', async () => (await page.locator('main').getByText('Jonas Weber').count()) === 0)
  })

  test('a wall screen says that its token ends soon, and a position can be copied in three ways', async (t) => {
    const { page, api } = await open(t, { at: '#/wall', signedOut: true })
    api.state.signedIn = true
    api.state.expiresAt = new Date(Date.now() + 13 * 86_400_000).toISOString()
    await page.evaluate("localStorage.setItem('tocsin.token', 'tocsin_wall')")
    await page.reload()
    await page.getByText('This screen stops working on').waitFor()
    api.state.expiresAt = new Date(Date.now() + 15 * 86_400_000).toISOString()
    await page.reload()
    await page.getByText('Jonas Weber').first().waitFor()
    assert.equal(await page.getByText('This screen stops working on').count(), 0)
    await page.evaluate(`location.hash = '#/incident/${JONAS}'`)
    await page.getByText('Timeline').waitFor()
    const [decimal, minutes, grid] = await page.locator('.coordinates > span').allTextContents()
    assert.match(decimal ?? '', /^\d+\.\d{5}, \d+\.\d{5}/)
    assert.match(minutes ?? '', /^\d{2}° \d{2}\.\d{3}′ N, \d{3}° \d{2}\.\d{3}′ E/)
    assert.match(grid ?? '', /^\d+[A-Z] [A-Z]{2} \d{5} \d{5}/)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const menu = page.locator('.copy-menu')
    await menu.locator('summary').click()
    await menu.getByRole('button', { name: grid! }).click()
    await menu.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), grid)
    // Name, state and actions stay in view, whatever is read below them.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    const [name, take] = [page.locator('.case h1'), page.getByRole('button', { name: 'I’ll take it' })]
    for (const part of [name, take]) {
      const top = (await part.boundingBox())!.y
      assert.ok(top > 0 && top < 200, `at ${top} px`)
    }
  })

  test('on a phone, what stays in view of a case is at most a quarter of the screen', async (t) => {
    const person = { name: 'Maximilian Alexander von Hohenberg-Waldstätten', phone: '+436601234567', externalId: 'm' }
    const many = { new: true, lateSeconds: 9000, presses: 7, unknownDevices: ['T1000-0042'], nobodyLeft: true as const }
    const item = itemOf(1, Date.now(), { person, ...many })
    const { page } = await open(t, { open: [item], at: `#/incident/${JONAS}`, width: 390 })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByText('Timeline').waitFor()
    const [head, tag] = [page.locator('.case'), page.getByText('7 presses')]
    await tag.waitFor()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    const { y, height } = (await head.boundingBox())!
    assert.ok(y >= 0 && height <= 844 / 4, `${height} px at ${y} px`)
    assert.ok((await tag.boundingBox())!.y < 0)
    for (const part of [head.getByText(/^Maximilian/), head.getByText('Call'), head.getByText('I’ll take it')])
      assert.ok((await part.boundingBox())!.y >= y)
  })
})
