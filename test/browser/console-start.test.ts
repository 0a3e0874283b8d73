import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastify from 'fastify'
import { serveConsole } from '../../src/adapters/inbound/http/console/routes.ts'
import { consoleFiles } from '../../src/adapters/platform/console/built-files.ts'
import { APP_ID } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { axeFindings, consoleBrowser } from './console-page.ts'
import { qrIn } from './read-qr.ts'

suite('the console in a browser: the sign-in and the first steps', needsBrowser, () => {
  const { open, visitor } = consoleBrowser()

  test('a link for the first sign-in that is opened before the console is built leads on once it is', async (t) => {
    // A page leaves before what it asks does.
    const { page } = await visitor(t, { expected: /status of (404|503)/ })
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

  test('the first administrator chooses an account, proves the app, keeps the codes, and goes on to the first steps', async (t) => {
    const expected = /status of 40[04]/
    const { page, api } = await open(t, { open: [], isNew: true, signedOut: true, at: '#setup=abcdefghijkl', expected })
    await page.getByRole('heading', { name: 'Set up Tocsin' }).waitFor()
    await page.getByText('Step 1 of 3').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByLabel('Your name').fill('Eva Night')
    await page.getByLabel('Login').fill('Eva Nacht')
    await page.getByLabel('Choose a password').fill('eva eva eva eva')
    await page.keyboard.press('Enter')
    await page.getByText('Use only letters without accents').waitFor()
    await page.getByText('too easy to guess').waitFor()
    await page.getByLabel('Login').fill(' Eva ')
    await page.getByLabel('Choose a password').fill('three wet marmots')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Step 2 of 3').waitFor()
    const secret = (await page.locator('.second code').textContent())!.replaceAll(' ', '')
    const uri = `otpauth://totp/Tocsin:eva?secret=${secret}&issuer=Tocsin`
    assert.equal(await qrIn(page, 'QR code for the authenticator app'), uri)
    assert.equal(await page.getByRole('link', { name: /Open it here/ }).getAttribute('href'), uri)
    assert.deepEqual(await axeFindings(page), [])
    // Somebody who goes back changes their mind, not the app.
    await page.getByRole('button', { name: 'Back' }).click()
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Eva Night')
    await page.getByLabel('Choose a password').fill('four wet marmots')
    await page.getByRole('button', { name: 'Continue' }).click()
    assert.equal((await page.locator('.second code').textContent())!.replaceAll(' ', ''), secret)
    await page.getByLabel('The six digits').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong').waitFor()
    assert.equal(api.state.signedIn, false)
    await page.getByLabel('The six digits').fill('123456')
    await page.keyboard.press('Enter')
    await page.getByText('Step 3 of 3').waitFor()
    assert.equal(await page.locator('.codes li').count(), 8)
    assert.deepEqual(api.state.changes, [
      {
        setup: 'abcdefghijkl',
        login: 'eva',
        name: 'Eva Night',
        password: 'four wet marmots',
        totpSecret: secret,
        code: '123456',
      },
    ])
    await page.getByRole('link', { name: /continue to the first steps/ }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
  })

  test('an address for the first administrator that was used says what to do, also to the second of two people', async (t) => {
    const over = { open: [], signedOut: true, at: '#setup=abcdefghijkl', expected: /status of 404/ }
    const { page, api } = await open(t, over)
    await page.getByLabel('Your name').fill('Max')
    await page.getByLabel('Login').fill('max')
    await page.getByLabel('Choose a password').fill('three wet marmots')
    api.state.isSetUp = true
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'This address no longer works' }).waitFor()
    await page.getByText('tocsin operator add LOGIN --role admin').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'This address no longer works' }).waitFor()
    await page.getByRole('link', { name: 'Sign in instead' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('as long as first steps are left the board and the menu lead to them, and the menu does not lie over them', async (t) => {
    const { page, api } = await open(t, { open: [], isNew: true })
    await page.locator('main').getByRole('link', { name: 'First steps' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.locator('summary').getByText('Eva Night').click()
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
    await page.locator('summary').getByText('Eva Night').click()
    await page.getByRole('link', { name: 'Wall screen' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'First steps' }).count(), 0)
  })

  test('from nothing to a simulated SOS that rings: each step is done when the service says so', async (t) => {
    const { page, api } = await open(t, { open: [], isNew: true, at: '#/start', expected: /status of 40[01]/ })
    const step = (name: string) => page.getByRole('region', { name })
    const shown = (name: string) => step(name).locator('.commands code').allTextContents()
    const opens = (name: string) => step(name).getByRole('button', { name, exact: true }).click()
    const contact = step('2. Add a contact')
    await opens('2. Add a contact')
    await contact.getByText('Create an application first.').waitFor()
    await opens('1. Create an application')
    // One is open at a time.
    assert.equal(await contact.getByText('Create an application first.').isVisible(), false)
    await step('1. Create an application').getByLabel('Name').fill("Mia's app")
    const [command, request] = await shown('1. Create an application')
    assert.equal(command, "tocsin app create --name 'Mia'\\''s app' --language en")
    assert.match(request!, /^curl -X POST http:\S+\/v1\/operator\/applications -H 'Authorization: Bearer tocsin_…'/)
    await step('1. Create an application').getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText("✓ Mia's app").waitFor()
    await page.getByText('shown-once').waitFor()
    // What a screen that nobody sits at would show is gone with the session.
    api.state.signedIn = false
    await opens('3. Send a test message')
    await step('3. Send a test message').getByLabel('Your phone number').fill('+43 660 1234567')
    await page.keyboard.press('Enter')
    const signIn = page.getByRole('dialog')
    await signIn.getByText('Your session has ended').waitFor()
    assert.equal(await page.getByText('shown-once').count(), 0)
    await signIn.getByLabel('Password').fill('correct horse')
    await signIn.getByLabel('Code').fill('123456')
    await page.keyboard.press('Enter')
    await step('3. Send a test message').getByText('✓ A test message was accepted').waitFor()

    await opens('2. Add a contact')
    await contact.getByLabel('User').fill('mia-7')
    await contact.getByLabel('Name of the contact').fill('Ana')
    for (const [typed, said] of [
      ['0660 1234567', 'Enter the number with its country code'],
      ['+1 202 555 0100', 'may not send to that country'],
    ] as const) {
      await contact.getByLabel('Phone number').fill(typed)
      await contact.getByRole('button', { name: 'Add a contact', exact: true }).click()
      await contact.getByText(said).waitFor()
    }
    await contact.getByLabel('Phone number').fill('0043 660/123 45 67')
    assert.equal(
      (await shown('2. Add a contact'))[0],
      `tocsin contact add ${APP_ID} mia-7 --name Ana --phone +436601234567`,
    )
    await contact.getByRole('button', { name: 'Add a contact', exact: true }).click()
    await contact.getByText('✓ Ana is alerted when mia-7 presses SOS').waitFor()

    // Left, and taken up again.
    await page.reload()
    await contact.getByText('✓ Ana').waitFor()
    assert.equal(await contact.getByLabel('User').count(), 0)
    const message = step('3. Send a test message')
    await opens('3. Send a test message')
    await message.getByLabel('Your phone number').fill('+43 660 1234567')
    await message.getByRole('button', { name: 'Send a test message', exact: true }).click()
    await message.getByText('Nothing has left this machine').waitFor()
    await message.getByText('✓ A test message was accepted').waitFor()
    assert.equal(await message.getByRole('link', { name: /Outbox/ }).getAttribute('href'), '#/system')

    const simulation = step('4. Simulate an SOS')
    await message.getByRole('button', { name: 'Next step' }).click()
    await simulation.getByRole('button', { name: 'Turn it on and hear it' }).click()
    await simulation.getByRole('button', { name: 'Sound on' }).waitFor()
    await simulation.getByRole('button', { name: 'Simulate an SOS', exact: true }).click()
    await simulation.getByText('✓ An SOS was simulated').waitFor()
    await page.getByRole('button', { name: 'Silence here' }).waitFor()
    // Not done yet: nobody would be alerted.
    const leaving = step('5. Set up where messages go')
    await opens('5. Set up where messages go')
    assert.equal(await leaving.getByRole('link', { name: 'Set up where messages go' }).getAttribute('href'), '#/setup')
    assert.equal(await page.getByText('You have completed the first steps.').count(), 0)
    await opens('4. Simulate an SOS')
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
    await page.getByRole('button', { name: '4. Start an exercise' }).click()
    await page.getByText('Start an exercise instead').waitFor()
    await page.getByText('✓ Messages leave this machine').waitFor()
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
})
