import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, suite, type TestContext, test } from 'node:test'
import axe from 'axe-core'
import fastify from 'fastify'
import type { Browser, Page } from 'playwright-core'
import type { Item } from '../../console/api/types.ts'
import { serveConsole } from '../../src/adapters/inbound/http/console/routes.ts'
import { consoleFiles } from '../../src/adapters/platform/console/built-files.ts'
import { APP_ID, idOf, itemOf } from '../console/items.ts'
import { needsBrowser, openBrowser, visit } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { startFakeApi } from './fake-api.ts'
import { handedOver } from './fake-trackers.ts'
import { qrIn } from './read-qr.ts'

const ROOT = new URL('../../', import.meta.url)

type Api = Awaited<ReturnType<typeof startFakeApi>>
type Opened = { readonly page: Page; readonly api: Api }

/** What a browser says of answers that these tests ask for. */
const REFUSED = /status of (40[139]|429)/
/** Of a stream that these tests cut, and do not offer again for a while. */
const CUT = /ERR_INCOMPLETE_CHUNKED_ENCODING|status of 503/

/** Counts what plays over and over, and what has played once. */
const NOTE_SOUNDS = `
  globalThis.sounds = { once: 0, loops: 0 }
  const { start, stop } = AudioBufferSourceNode.prototype
  AudioBufferSourceNode.prototype.start = function (...given) {
    sounds[this.loop ? 'loops' : 'once'] += 1
    return start.apply(this, given)
  }
  AudioBufferSourceNode.prototype.stop = function (...given) {
    if (this.loop) sounds.loops -= 1
    return stop.apply(this, given)
  }
`

/** What axe finds wrong with a page as it is now. */
async function axeFindings(page: Page): Promise<readonly string[]> {
  // Past the page's own policy, which allows no script but its own: the browser's debugger puts it in.
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
  return violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' | ')}`)
}

suite('the console in a browser', needsBrowser, () => {
  let browser: Browser
  before(async () => {
    const built = spawnSync(process.execPath, ['console/build.ts'], { cwd: ROOT, encoding: 'utf8' })
    assert.equal(built.status, 0, built.stderr)
    browser = await openBrowser()
  })
  after(() => browser?.close())

  /** A page on an API of its own. */
  async function open(
    t: TestContext,
    given: Parameters<typeof startFakeApi>[0] & {
      readonly at?: string
      readonly signedOut?: boolean
      readonly width?: number
      readonly dark?: boolean
      readonly expected?: RegExp
    } = {},
  ): Promise<Opened> {
    const api = await startFakeApi({ now: Date.now(), ...given })
    api.state.signedIn = given.signedOut !== true
    // It leaves before the API closes, which would cut its stream.
    const { page } = await visit(t, browser, {
      viewport: { width: given.width ?? 1280, height: 800 },
      colorScheme: given.dark ? 'dark' : 'light',
      expected: given.expected ?? REFUSED,
    })
    t.after(() => api.close())
    await page.goto(api.url + (given.at ?? ''))
    return { page, api }
  }

  const id = itemOf(1, 0).incidentId

  test('a link for the first sign-in that is opened before the console is built leads on once it is', async (t) => {
    // A page leaves before what it asks does.
    const { page } = await visit(t, browser, { expected: /status of (404|503)/ })
    const app = fastify()
    t.after(() => app.close())
    let asked = 0
    serveConsole(app, () => (asked++ === 0 ? Promise.resolve(null) : consoleFiles()()))
    // Until then no time passes: on a loaded machine the page would look again before the test has looked once.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.goto(`${await app.listen({ host: '127.0.0.1', port: 0 })}/console/#invitation=abcdefghijkl`)
    await page.getByText('The console is not built yet').waitFor()
    await page.clock.fastForward(3000)
    await page.clock.resume()
    await page.getByText('Welcome to Tocsin').waitFor()
  })

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
    api.change(id, { presses: 2 })
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
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'End the alarm', 'the focus is back')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'End the alarm' }).click()
    await page.getByText('by an operator').waitFor()
    await until('the title counts nothing', async () => (await page.title()) === 'Tocsin')
  })

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
    const row = page.locator('.exercises').getByRole('link', { name: /^EXERCISE.*Jonas Weber/ })

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
    const boxOf = async (of: string) => (await page.locator(of).boundingBox())!
    const [alarms, map, exercises] = [await boxOf('.rows >> nth=0'), await boxOf('.map'), await boxOf('.exercises')]
    assert.deepEqual([exercises.x, map.y], [alarms.x, alarms.y])
    assert.ok(exercises.y >= alarms.y + alarms.height && map.x > alarms.x)
    // An exercise that changes meanwhile is not read out as an alarm.
    api.change(idOf(13), { urgency: 1 })
    await page.locator('.exercises').getByText('No answer yet').waitFor()
    await page.getByRole('alert').getByText('No answer yet: Jonas Weber').waitFor()

    await page.evaluate("location.hash = '#/wall'")
    await page.locator('.wall-exercises').getByText('1 EXERCISE').waitFor()
    await page.evaluate(`location.hash = '#/incident/${idOf(13)}'`)
    await page.locator('main').getByText('Any SOS without this word is real.').waitFor()
    assert.equal(await page.locator('.map').count(), 0)
    await page.getByRole('button', { name: 'End the exercise' }).click()
    await page.getByRole('dialog').getByText('the exercise is over').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'End the exercise' }).click()
    await page.getByText('by an operator').waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.getByRole('heading', { name: '1 open alarm' }).waitFor()
    assert.equal(await page.locator('.exercises').count(), 0)
  })

  test('an exercise is started by who may, after a word about who is told, and again with what stands in the way', async (t) => {
    const { page, api } = await open(t, { at: `#/person/${idOf(9000)}` })
    const start = page.getByRole('button', { name: 'Start an exercise' })
    const dialog = page.getByRole('dialog')
    await page.getByText('Add an emergency contact.').waitFor()
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

  test('where the session ends in the middle of a note, the note is sent after the next sign-in', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${id}` })
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
  })

  test('a stream that was cut is taken up again, and the page says so meanwhile', async (t) => {
    const { page, api } = await open(t, { expected: CUT })
    await page.getByText('Live').waitFor()
    api.state.deaf = true
    api.cut()
    await page.getByText('this screen shows no new alarms').waitFor()
    // Meanwhile, unheard:
    api.change(id, { urgency: 0, delivered: false, presses: 7 })
    api.state.deaf = false
    await page.getByText('7 presses').waitFor()
    await page.getByText('Live').waitFor()
    // One that never comes about is no quiet night either.
    api.state.deaf = true
    await page.reload()
    await page.getByText('this screen shows no new alarms').waitFor()
  })

  test('after 30 s without a heartbeat it sounds, on a quiet night as well, until the line is back', async (t) => {
    const { page, api } = await open(t, { expected: CUT, signedOut: true, open: [] })
    await page.clock.install()
    await page.addInitScript(`
      globalThis.sounding = 0
      const { start, stop } = AudioBufferSourceNode.prototype
      AudioBufferSourceNode.prototype.start = function (...given) {
        if (this.loop) sounding += 1
        return start.apply(this, given)
      }
      AudioBufferSourceNode.prototype.stop = function (...given) {
        if (this.loop) sounding -= 1
        return stop.apply(this, given)
      }
    `)
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Live').waitFor()
    await page.getByRole('button', { name: 'Sound off' }).click()
    await page.getByRole('button', { name: 'Sound on' }).waitFor()
    api.state.deaf = true
    api.cut()
    await page.getByText('No connection', { exact: true }).waitFor()
    await page.clock.fastForward(20_000)
    await page.getByText('this screen shows no new alarms').waitFor()
    assert.equal(await page.evaluate('sounding'), 0)
    await page.clock.fastForward(15_000)
    await until('it sounds', async () => (await page.evaluate('sounding')) === 1)
    await page.getByRole('alert').getByText('No connection').waitFor()
    api.state.deaf = false
    await page.clock.fastForward(15_000)
    await page.getByText('Live').waitFor()
    await until('it is quiet again', async () => (await page.evaluate('sounding')) === 0)
  })

  test('a position by telemetry, which leaves no event, shows within 30 s on the board', async (t) => {
    const { page, api } = await open(t, { signedOut: true })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    const row = page.locator('.row', { hasText: 'Jonas Weber' })
    await row.getByText('Position 4 min ago').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    api.moves(id, { latitude: 47.5, at: new Date(Date.now() - 90_000).toISOString() })
    const read = page.waitForResponse('**/incidents?state=open&limit=100')
    await page.clock.fastForward(5_000)
    assert.equal(await row.getByText('Position 4 min ago').count(), 1, 'no event has told it')
    await page.clock.fastForward(25_500)
    await read
    await row.getByText(/^Position [12] min ago/).waitFor()
  })

  test('a position by telemetry shows within 20 s in the incident', async (t) => {
    const { page, api } = await open(t, { signedOut: true, at: `#/incident/${id}` })
    await page.clock.install()
    api.state.signedIn = true
    await page.reload()
    await page.getByText('Timeline').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    assert.equal(await page.getByText('48.00000, ').count(), 0)
    api.moves(id, { latitude: 48 })
    await page.clock.fastForward(5_000)
    assert.equal(await page.getByText('48.00000, ').count(), 0, 'no event has told it')
    await page.clock.fastForward(15_500)
    await page.getByText('48.00000, ').waitFor()
  })

  test('as long as first steps are left the board and the menu lead to them, and the menu does not lie over them', async (t) => {
    const { page, api } = await open(t, { open: [], isNew: true })
    await page.locator('main').getByRole('link', { name: 'First steps' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.getByText('Eva Night').click()
    await page.getByRole('link', { name: 'Wall screen' }).waitFor()
    await page.locator('.menu').getByRole('link', { name: 'First steps' }).click()
    await page.getByRole('link', { name: 'Wall screen' }).waitFor({ state: 'hidden' })
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
    api.state.steps.done = true
    await page.evaluate("location.hash = '#/'")
    await page.reload()
    const asked = page.waitForResponse('**/first-steps')
    await page.getByText('No open alarms.').waitFor()
    await asked
    await page.getByText('Eva Night').click()
    await page.getByRole('link', { name: 'Wall screen' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'First steps' }).count(), 0)
  })

  test('from nothing to a simulated SOS that rings: each step is done when the service says so', async (t) => {
    const { page, api } = await open(t, { open: [], isNew: true, at: '#/start', expected: /status of 40[01]/ })
    const step = (name: string) => page.getByRole('region', { name })
    const shown = (name: string) => step(name).locator('.commands code').allTextContents()
    const contact = step('2. A contact')
    await contact.getByText('Create an application first.').waitFor()
    await step('1. An application').getByLabel('Name').fill("Mia's app")
    const [command, request] = await shown('1. An application')
    assert.equal(command, "tocsin app create --name 'Mia'\\''s app' --language en")
    assert.match(request!, /^curl -X POST http:\S+\/v1\/operator\/applications -H 'Authorization: Bearer tocsin_…'/)
    await step('1. An application').getByRole('button', { name: 'Create' }).click()
    await page.getByText("✓ Mia's app").waitFor()
    await page.getByText('shown-once').waitFor()
    // What a screen that nobody sits at would show is gone with the session.
    api.state.signedIn = false
    await step('3. A test message').getByLabel('Your phone number').fill('+43 660 1234567')
    await page.keyboard.press('Enter')
    const signIn = page.getByRole('dialog')
    await signIn.getByText('Your session has ended').waitFor()
    assert.equal(await page.getByText('shown-once').count(), 0)
    await signIn.getByLabel('Password').fill('correct horse')
    await signIn.getByLabel('Code').fill('123456')
    await page.keyboard.press('Enter')
    await step('3. A test message').getByText('✓ A test message was accepted').waitFor()

    await contact.getByLabel('User').fill('mia-7')
    await contact.getByLabel('Name of the contact').fill('Ana')
    for (const [typed, said] of [
      ['0660 1234567', 'Enter the number with its country code'],
      ['+1 202 555 0100', 'may not send to that country'],
    ] as const) {
      await contact.getByLabel('Phone number').fill(typed)
      await contact.getByRole('button', { name: 'Add contact' }).click()
      await contact.getByText(said).waitFor()
    }
    await contact.getByLabel('Phone number').fill('0043 660/123 45 67')
    assert.equal(
      (await shown('2. A contact'))[0],
      `tocsin contact add ${APP_ID} mia-7 --name Ana --phone +436601234567`,
    )
    await contact.getByRole('button', { name: 'Add contact' }).click()
    await contact.getByText('✓ Ana is alerted when mia-7 presses SOS').waitFor()

    // Left, and taken up again.
    await page.reload()
    await contact.getByText('✓ Ana').waitFor()
    assert.equal(await contact.getByLabel('User').count(), 0)
    const message = step('3. A test message')
    await message.getByLabel('Your phone number').fill('+43 660 1234567')
    await message.getByRole('button', { name: 'Send a test message' }).click()
    await message.getByText('Nothing has left this machine').waitFor()
    await message.getByText('✓ A test message was accepted').waitFor()
    assert.equal(await message.getByRole('link', { name: /Outbox/ }).getAttribute('href'), '#/system')

    const simulation = step('4. A simulated SOS')
    await simulation.getByRole('button', { name: 'Turn it on and hear it' }).click()
    await simulation.getByRole('button', { name: 'Sound on' }).waitFor()
    await simulation.getByRole('button', { name: 'Simulate an SOS' }).click()
    await page.getByText('You have completed the first steps.').waitFor()
    await page.getByRole('button', { name: 'Silence here' }).waitFor()
    await simulation.getByRole('link', { name: 'Back to the board' }).click()
    await page.locator('.row').getByText('invented position').waitFor()
    // Never to be taken for a real one, among however many.
    await page.locator('.map-pin.invented').waitFor()
    await page.locator('.map-label', { hasText: /^EXERCISE: Mia Gruber · invented position$/ }).waitFor()
    await page
      .getByText('EXERCISE under way. Only what is marked EXERCISE is one: every other alarm is real.')
      .waitFor()
  })

  test('where messages leave the machine the first steps lead to an exercise instead', async (t) => {
    const { page, api } = await open(t, { open: [], isNew: true })
    api.state.steps.maySimulate = false
    await page.evaluate("location.hash = '#/start'")
    await page.getByText('Start an exercise instead').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Simulate an SOS' }).count(), 0)
  })

  test('who has to wait for another try reads how long', async (t) => {
    const { page, api } = await open(t, { signedOut: true })
    api.state.waitS = 16
    await page.getByLabel('Login').fill('eva')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByLabel('Code').fill('123456')
    await page.keyboard.press('Enter')
    await page.getByText('Too many attempts. Try again in 16 s.').waitFor()
    assert.equal(await page.getByLabel('Password').inputValue(), 'correct horse')
    api.state.waitS = null
    await page.keyboard.press('Enter')
    await page.getByText('Live').waitFor()
  })

  test('of two changes that come together, the incident that is open shows its own', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${id}` })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Timeline').waitFor()
    api.change(id, { urgency: 0, presses: 7 })
    api.change(idOf(2), { presses: 2 })
    await page.locator('.case').getByText('7 presses').waitFor()
  })

  test('a page that is loaded again says that the browser keeps it silent, wherever it is scrolled to', async (t) => {
    const { page } = await open(t, { at: `#/incident/${id}`, width: 320 })
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

  test('behind a proxy that changes the address, the page says where to open it instead', async (t) => {
    const { page, api } = await open(t, { signedOut: true })
    await page.route('**/v1/operator/session', (route) =>
      route.fulfill({
        status: 403,
        json: { error: { code: 'E_OPERATOR_FORBIDDEN', reason: 'not_own_page', message: 'x' } },
      }),
    )
    await page.getByLabel('Login').fill('eva')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByLabel('Code').fill('123456')
    await page.keyboard.press('Enter')
    await page.getByText('Open the console at the address that contacts see too').waitFor()
    assert.equal(api.state.signedIn, false)
  })

  test('a wall screen whose token was revoked can be used with a password', async (t) => {
    const { page } = await open(t, { signedOut: true })
    await page.evaluate("localStorage.setItem('tocsin.token', 'tocsin_revoked')")
    await page.reload()
    await page.getByLabel('Login').fill('eva')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByLabel('Code').fill('123456')
    const sent = page.waitForRequest('**/v1/operator/events')
    await page.keyboard.press('Enter')
    assert.equal((await sent).headers().authorization, undefined)
    await page.getByText('Live').waitFor()
  })

  test('a viewer sees everything and has nothing to press', async (t) => {
    const { page } = await open(t, { role: 'viewer', at: `#/incident/${id}` })
    await page.getByText('You have read-only access.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'I’ll take it' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'System' }).count(), 0)
  })

  test('where somebody else was first, the page says so and shows what they did', async (t) => {
    const { page, api } = await open(t, { at: `#/incident/${id}` })
    const take = page.getByRole('button', { name: 'I’ll take it' })
    await take.waitFor()
    api.state.conflict = 'Max has taken it.'
    await take.click()
    await page.getByText('Someone else was first: Max has taken it.').waitFor()
  })

  test('what gives lasting access asks for the password once more, and goes on where it was', async (t) => {
    const { page, api } = await open(t, { at: '#/account' })
    api.state.asksAgain = true
    const renew = page.getByRole('button', { name: 'Create new codes' })
    await renew.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Confirm your identity first.').waitFor()
    assert.equal(await page.locator('.codes').count(), 0)
    await renew.click()
    await dialog.getByLabel('Password or code').fill('not it')
    await page.keyboard.press('Enter')
    await dialog.getByText('The current password is wrong.').waitFor()
    await dialog.getByLabel('Password or code').fill('123 456')
    // The sign-in lies above what was asked, and does not go away.
    api.state.endsAt = '/session/proof'
    await page.keyboard.press('Enter')
    const signIn = page.getByRole('dialog', { name: 'Sign in' })
    await signIn.getByText('Your session has ended').waitFor()
    for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key)
    await signIn.getByLabel('Password').fill('correct horse')
    await signIn.getByLabel('Code').fill('123456')
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('ABCD-1000-EFGH-IJKL').waitFor()
    await dialog.waitFor({ state: 'detached' })

    await page.getByLabel('Current password').fill('correct horse')
    await page.getByLabel('New password', { exact: true }).fill('seven green lamps hum')
    await page.getByLabel('Repeat new password').fill('seven green lamp')
    await page.getByText('The two new passwords do not match.').waitFor()
    await page.getByLabel('Repeat new password').fill('seven green lamps hum')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password has been changed.').waitFor()
  })

  test('an administrator sets up a chat, tests it, and changes what is typed and nothing else', async (t) => {
    const { page, api } = await open(t, { at: `#/application/${APP_ID}` })
    await page.getByLabel('Time zone').fill('Europe/Rome')
    const general = page.getByRole('region', { name: 'General' })
    // A screen that was left open could send alarms elsewhere.
    api.state.asksAgain = true
    await general.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByLabel('Password or code').fill('correct horse')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const webhook = page.getByRole('region', { name: 'Webhook' })
    await webhook.getByText('Set up').click()
    await webhook.getByLabel('Address to post to').fill('https://hook.example.org/x')
    await webhook.getByRole('button', { name: 'Save' }).click()
    const chat = page.getByRole('region', { name: 'Chat' })
    await chat.getByText('Change').click()
    await chat.getByLabel('Format').selectOption('teams')
    await chat.getByRole('button', { name: 'Save' }).click()
    const rules = page.getByRole('region', { name: 'Rules in force' })
    await rules.getByLabel('Grace window').fill('twenty')
    await rules.getByText('Not a number: Grace window').waitFor()
    await rules.getByLabel('Grace window').fill('12,5')
    await rules.getByLabel('Call contacts').uncheck()
    await rules.getByRole('button', { name: 'Save' }).click()
    await rules.getByText('Saved.').waitFor()
    assert.deepEqual(api.state.changes, [
      ['PATCH', '', { timeZone: 'Europe/Rome' }],
      ['PUT', '/actuators/webhook', { url: 'https://hook.example.org/x' }],
      ['PUT', '/actuators/chat', { format: 'teams' }],
      ['PUT', '/actuators/emergency_contacts', { settings: { graceSeconds: 12.5, voice: false } }],
    ])
    await chat.getByRole('button', { name: 'Test: Chat' }).click()
    await chat.getByText('connection refused').waitFor()
    await page.getByRole('button', { name: 'Retire the older secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retire the older secret' }).click()
    await page.getByText('would lock everyone out').waitFor()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByRole('dialog').getByText('no app and no tracker').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(api.state.changes.length, 5)
  })

  test('a doubted clock is confirmed by its date, which is shown whatever day it is', async (t) => {
    const { page } = await open(t, { at: '#/system' })
    await page.getByRole('button', { name: 'The clock is right' }).click()
    const year = String(new Date().getUTCFullYear())
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: new RegExp(`Is it .*${year}`) })
      .waitFor()
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
    await page.evaluate(`location.hash = '#/incident/${id}'`)
    await page.getByText('Timeline').waitFor()
    const [decimal, minutes, grid] = await page.locator('.coordinates').allTextContents()
    assert.match(decimal ?? '', /^\d+\.\d{5}, \d+\.\d{5}/)
    assert.match(minutes ?? '', /^\d{2}° \d{2}\.\d{3}′ N, \d{3}° \d{2}\.\d{3}′ E/)
    assert.match(grid ?? '', /^\d+[A-Z] [A-Z]{2} \d{5} \d{5}/)
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

  test('the age counts by the server’s clock, and a browser whose clock is wrong says so', async (t) => {
    const { page } = await open(t, { now: Date.now() - 3 * 3_600_000, open: [itemOf(1, Date.now() - 3 * 3_600_000)] })
    await page.getByText('This computer’s clock is wrong').waitFor()
    await page.locator('.row-age').getByText('7 min').waitFor()
  })

  test('a tracker gets a token, whose codes read as its links, and nothing of it stays', async (t) => {
    const { page, api } = await open(t, { at: '#/devices', dark: true, width: 320 })
    await page.getByRole('link', { name: 'A84041FFFF9999' }).click()
    await page.getByText('Nobody has paired it').waitFor()
    api.state.asksAgain = true
    await page.getByLabel('Owner (external id)').fill('user-0')
    await page.keyboard.press('Enter')
    // Somebody who walks away from the question has asked for nothing.
    await page.getByRole('dialog').getByText('Is it still you?').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goForward()
    await page.getByLabel('Owner (external id)').fill('user-0')
    await page.keyboard.press('Enter')
    await page.getByLabel('Password or code').fill('123 456')
    await page.keyboard.press('Enter')
    await page.getByText('Shown only once').waitFor()
    assert.deepEqual(api.state.changes, [['token', 'A84041FFFF9999', 'user-0']])

    const { token, traccar, ownTracks, ownTracksMqtt } = handedOver(1)
    for (const [app, link] of [
      ['Traccar Client', traccar],
      ['OwnTracks', ownTracks],
      ['OwnTracks over MQTT', ownTracksMqtt],
    ] as const) {
      await page.getByLabel('App or tracker').selectOption(app)
      assert.equal(await qrIn(page, `QR code for ${app}`), link)
      assert.equal(await page.locator('.qr').count(), 1, 'a camera takes whichever it sees')
    }
    await page.getByLabel('App or tracker').selectOption('Manual set-up')
    assert.deepEqual(await axeFindings(page), [])
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320)
    assert.equal(await page.locator(`a[href*="${token}"]`).count(), 0)
    const kept = 'location.href + JSON.stringify([localStorage, sessionStorage, history.state])'
    assert.ok(!(await page.evaluate<string>(kept)).includes(token))
    const holds = async (secret: string) => (await page.content()).includes(secret)
    assert.ok(await holds(token))
    await page.goBack()
    await page.getByText('TrackerD').waitFor()
    assert.equal(await holds(token), false)
    await page.goForward()
    await page.getByText('It has had a token since').waitFor()
    assert.equal(await holds(token), false)

    await page.getByRole('button', { name: 'Create a new token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The current one stops working at once').waitFor()
    await dialog.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Shown only once').waitFor()
    assert.ok(await holds(handedOver(2).token))
    await page.getByText('It works: the tracker has reported.').waitFor()
    // As when the browser keeps the page to go back to.
    await page.evaluate("dispatchEvent(new Event('pagehide'))")
    await page.getByText('Shown only once').waitFor({ state: 'detached' })
    assert.equal(await holds(handedOver(2).token), false)

    await page.getByRole('button', { name: 'Revoke the token' }).click()
    await dialog.getByRole('button', { name: 'Revoke the token' }).click()
    await page.getByText('It has no token.').waitFor()
    assert.deepEqual(api.state.changes.slice(1), [
      ['token', 'A84041FFFF9999', null],
      ['revoke', 'A84041FFFF9999'],
    ])
  })

  test('a token that is left on the screen goes after five minutes, and with the session', async (t) => {
    const { page, api } = await open(t, { at: `#/device/${APP_ID}/A84041FFFF1234` })
    await page.clock.install()
    await page.reload()
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByText('Shown only once').waitFor()
    await page.clock.fastForward(4 * 60_000)
    assert.equal(await page.locator('.qr').count(), 1)
    await page.clock.fastForward(61_000)
    await page.getByText('Shown only once').waitFor({ state: 'detached' })
    assert.equal(await page.locator('.qr').count(), 0)

    await page.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Shown only once').waitFor()
    // Another administrator replaces it.
    const named = { applicationId: APP_ID, hardwareId: 'A84041FFFF1234' }
    await page.request.post(`${new URL(api.url).origin}/v1/operator/devices/token`, { data: named })
    await page.clock.fastForward(10_000)
    await page.getByText('Shown only once').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Shown only once').waitFor()
    api.state.endsAt = '/devices/watch'
    await page.getByLabel('Warn', { exact: true }).selectOption('Never')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your session has ended').waitFor()
    assert.equal(await page.locator('.qr').count(), 0)
    assert.ok(!(await page.content()).includes(handedOver(4).token))
  })

  test('a tracker’s own interval is set and taken back, and one that makes no sense is not sent', async (t) => {
    const { page, api } = await open(t, { at: `#/device/${APP_ID}/A84041FFFF1234` })
    const panel = page.getByRole('region', { name: 'When it falls silent' })
    const warn = panel.getByLabel('Warn', { exact: true })
    const save = panel.getByRole('button', { name: 'Save' })
    await warn.selectOption('After a time of its own')
    await panel.getByLabel('How long').fill('31')
    await panel.getByLabel('Unit').selectOption('days')
    assert.ok(await save.isDisabled())
    await panel.getByLabel('Unit').selectOption('hours')
    await panel.getByLabel('How long').fill('6')
    await save.click()
    await panel.getByText('Saved.').waitFor()
    await warn.selectOption('As its application: Never')
    await save.click()
    await panel.getByText('Saved.').waitFor()
    assert.deepEqual(api.state.changes, [
      ['watch', 'A84041FFFF1234', 360],
      ['watch', 'A84041FFFF1234', null],
    ])
  })

  test('an operator asks a contact to confirm; to disable the user is for an administrator, who proves it', async (t) => {
    const { page, api } = await open(t, { at: `#/person/${idOf(9000)}`, role: 'operator' })
    const contacts = page.getByRole('region', { name: 'Contacts' })
    await contacts.getByText('Doesn’t know this person').waitFor()
    assert.equal(await contacts.getByRole('button', { name: 'Ask to confirm' }).count(), 2)
    const ask = contacts.getByRole('button', { name: 'Ask to confirm' }).first()
    await ask.click()
    await contacts.getByText('Ana Gruber will be asked by SMS').waitFor()
    await ask.click()
    await contacts.getByText('a number is asked once a day').waitFor()
    const disable = page.getByRole('button', { name: 'Disable' })
    assert.equal(await disable.count(), 0)
    api.state.role = 'admin'
    await page.reload()
    api.state.asksAgain = true
    await disable.click()
    await page.getByLabel('Password or code').fill('123 456')
    await page.keyboard.press('Enter')
    await until('the user is disabled', async () => api.state.changes.length > 1)
    assert.deepEqual(api.state.changes, [
      ['ask', idOf(1)],
      ['disable', idOf(9000)],
    ])
  })

  test('a viewer sees how a tracker is, and can neither give it a token nor ask a contact', async (t) => {
    const { page } = await open(t, { role: 'viewer', at: `#/device/${APP_ID}/A84041FFFF1234` })
    await page.getByText('It has no token.').waitFor()
    assert.equal(await page.locator('main button').count(), 0)
    await page.evaluate(`location.hash = '#/person/${idOf(9000)}'`)
    await page.getByText('Doesn’t know this person').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Ask to confirm' }).count(), 0)
  })

  const views: readonly (readonly [name: string, at: string, ready: string])[] = [
    ['board', '#/', 'Jonas Weber'],
    ['wall', '#/wall', 'Jonas Weber'],
    ['incident', `#/incident/${id}`, 'Timeline'],
    ['history', '#/history', 'Jonas Weber'],
    ['exercise', `#/incident/${idOf(5)}`, 'no such number'],
    ['readiness', '#/readiness', 'Add an emergency contact.'],
    ['people', '#/people', 'user-1'],
    ['person', `#/person/${idOf(9000)}`, 'No phone number to call'],
    ['devices', '#/devices', 'A84041FFFF1234'],
    ['device', `#/device/${APP_ID}/A84041FFFF1234`, 'Token and set-up'],
    ['settings', '#/settings', 'New application'],
    ['application', `#/application/${APP_ID}`, 'Rules in force'],
    ['system', '#/system', 'session.begin'],
    ['account', '#/account', '2 codes left'],
    ['first steps', '#/start', 'A simulated SOS'],
    ['invitation', '#invitation=abcdefghijkl', 'Choose a password'],
  ]
  for (const [dark, width] of [
    [false, 1280],
    [true, 320],
  ] as const) {
    test(`no view has anything that axe finds wrong, ${dark ? 'dark on a phone' : 'light'}`, async (t) => {
      const { page } = await open(t, { dark, width })
      for (const [name, at, ready] of views) {
        await page.evaluate(`location.hash = ${JSON.stringify(at)}`)
        await page.getByText(ready).first().waitFor()
        assert.deepEqual(await axeFindings(page), [], name)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        assert.ok(wide <= width, `${name} is ${wide} px wide`)
      }
    })
  }
})
