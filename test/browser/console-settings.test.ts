import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { APP_ID, idOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { openBlocks } from './blocks/blocks.ts'
import { axeFindings, CUT_WORDS, consoleBrowser, JONAS } from './console-page.ts'
import { FINGERPRINT, LINK } from './fake-invitations.ts'

/** Views, and what shows in any language that they are there. */
const SMALL = [
  ['#/', 'Jonas Weber'],
  [`#/incident/${JONAS}`, 'Ana Gruber'],
  ['#/history', 'Jonas Weber'],
  ['#/people', 'Mia Gruber'],
  [`#/person/${idOf(9000)}`, 'Firefox, Android'],
  ['#/readiness', 'Mia Gruber'],
  ['#/on-call', 'Ivo Early'],
  ['#/devices', 'A84041FFFF1234'],
  ['#/settings', 'Alpine Rescue App'],
  ['#/setup', 'Twilio'],
  [`#/application/${APP_ID}`, 'Upper hut'],
  ['#/system', 'session.opened'],
] as const

/** That of a whole page. */
const oneSave = (page: Page) => page.locator('.one-save').getByRole('button', { name: 'Save' })

suite('the console in a browser: accounts, settings and every view', needsBrowser, () => {
  const { open, visitor } = consoleBrowser()

  test('every building block can be read by day and by night, on a phone and on a desk', async (t) => {
    const { page } = await visitor(t, { viewport: { width: 320, height: 800 } })
    await openBlocks(page)
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await axeFindings(page), [], `${width} px, ${colorScheme}`)
      }
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    }
    const faces = await page.evaluate<string[]>(
      "[...document.fonts].map(({ family, status }) => family + ' ' + status)",
    )
    assert.deepEqual(faces, ['Geist loaded', 'Geist loaded'])
  })

  test('in no language a word is cut on the smallest phone', async (t) => {
    const { page } = await open(t, { width: 320 })
    const speak = async (language: string): Promise<void> => {
      await page.evaluate(`(() => {
        const choice = document.querySelector('.account select')
        choice.value = '${language}'
        choice.dispatchEvent(new Event('change', { bubbles: true }))
      })()`)
      await page.locator(`html[lang=${language}]`).waitFor()
    }
    for (const [at, ready] of SMALL) {
      await page.evaluate(`location.hash = ${JSON.stringify(at)}`)
      await page.locator('main').getByText(ready).first().waitFor()
      for (const language of ['de', 'fr', 'it', 'es', 'en']) {
        await speak(language)
        assert.deepEqual(await page.evaluate(CUT_WORDS), [], `${language}: ${at}`)
      }
    }
  })

  test('what gives lasting access asks for the password once more, and goes on where it was', async (t) => {
    const { page, api } = await open(t, { at: '#/account' })
    api.state.asksAgain = true
    const renew = page.getByRole('button', { name: 'Create new codes' })
    await renew.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Confirm your identity first.').waitFor()
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    await until(
      'the focus is back, although the button was disabled',
      async () => (await focused()) === 'Create new codes',
    )
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

  test('a question gives the focus back, also to what is rendered anew, and never to another row', async (t) => {
    const { page, api } = await open(t, { at: '#/system' })
    const dialog = page.getByRole('dialog')
    const rowInFocus = () => page.evaluate<string | undefined>("document.activeElement.closest('tr')?.textContent")
    const isBack = (to: string) => until(`the focus is at ${to}`, async () => (await rowInFocus())?.includes(to))
    // One wrong click would darken a wall screen: it asks, and then who it is.
    const revoke = page.getByRole('dialog', { name: /^Revoke/ }).getByRole('button', { name: 'Revoke' })
    const proof = page.getByRole('dialog', { name: 'Is it still you?' })
    api.state.asksAgain = true
    await page
      .getByRole('row', { name: /Wall screen/ })
      .getByRole('button')
      .click()
    await dialog.getByText('shows no more alarms').waitFor()
    await page.keyboard.press('Escape')
    await isBack('Wall screen')
    assert.deepEqual(api.state.changes, [])
    await page.keyboard.press('Enter')
    await revoke.click()
    await proof.waitFor()
    await page.keyboard.press('Escape')
    await isBack('Wall screen')
    await page.keyboard.press('Enter')
    await revoke.click()
    await proof.getByLabel('Password or code').fill('correct horse')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /Wall screen/ }).waitFor({ state: 'detached' })
    assert.equal(await rowInFocus(), undefined)
    assert.deepEqual(api.state.changes, [['token revoked', idOf(7001)]])

    api.state.asksAgain = true
    await page
      .getByRole('row', { name: /Night script/ })
      .getByRole('button')
      .click()
    await revoke.click()
    await proof.waitFor()
    await page.evaluate(`{
      const before = [...document.querySelectorAll('td button')].find((button) => button.closest('tr').textContent.includes('Night script'))
      const anew = before.cloneNode(true)
      anew.disabled = false
      before.replaceWith(anew)
    }`)
    await proof.getByRole('button', { name: 'Cancel' }).click()
    await isBack('Night script')
  })

  test('a change whose refusal comes after the answer to the question does not ask again', async (t) => {
    const { page, api } = await open(t, { at: `#/application/${APP_ID}` })
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(
      '**/actuators/webhook',
      async (route) => {
        const response = await route.fetch()
        assert.equal(response.status(), 403)
        await held
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    const webhook = page.getByRole('region', { name: 'Webhook' })
    await webhook.getByText('Set up').click()
    await webhook.getByLabel('Address to post to').fill('https://hook.example.org/x')
    api.state.asksAgain = true
    const late = page.waitForRequest('**/actuators/webhook')
    // Both before the question of the first is there.
    await page.evaluate(`for (const form of document.querySelectorAll('.actuator form'))
      if (form.closest('[aria-label="Emergency contacts"]') === null) form.requestSubmit()`)
    await late
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Password or code').fill('correct horse')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await until('the other is done', async () => api.state.changes.length === 1)
    release()
    await until('this one is done', async () => api.state.changes.length === 2)
    assert.equal(await dialog.count(), 0)
  })

  test('an administrator sets up a chat, tests it, and changes what is typed and nothing else', async (t) => {
    const { page, api } = await open(t, { at: `#/application/${APP_ID}` })
    const zone = page.getByRole('combobox', { name: 'Time zone' })
    await zone.fill('rome')
    await page.keyboard.press('Escape')
    // What can only be one is that one.
    await page.keyboard.press('Tab')
    assert.equal(await zone.inputValue(), 'Italy – Rome')
    // Nothing is sent that a field cannot hold, and nothing typed is lost by a click.
    const name = page.getByRole('region', { name: 'General' }).getByLabel('Name', { exact: true })
    const called = await name.inputValue()
    await name.fill('')
    await oneSave(page).click()
    await page.locator('input:focus:invalid').waitFor()
    assert.deepEqual(api.state.changes, [])
    await name.fill(called)
    await page.evaluate("location.hash = '#/system'")
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByText('Not saved yet: General').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.match(page.url(), /#\/application\//)
    // A screen that was left open could send alarms elsewhere.
    api.state.asksAgain = true
    await oneSave(page).click()
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
    await oneSave(page).click()
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
    await name.fill('Alpine Club')
    await oneSave(page).waitFor()
    await page.evaluate("location.hash = '#/system'")
    await question.getByRole('button', { name: 'Leave without saving' }).click()
    await page.getByRole('heading', { name: 'System', level: 1 }).waitFor()
    await page.evaluate('history.back()')
    await name.fill('Alpine Club')
    await oneSave(page).waitFor()
    // The way to an alarm that waits is never held back.
    await page.evaluate("location.hash = '#/'")
    await page.getByText('Jonas Weber').first().waitFor()
    assert.equal(await question.count(), 0)
  })

  test('an administrator says where a position leads; why an address is refused stands at its field', async (t) => {
    const { page, api } = await open(t, { at: `#/application/${APP_ID}`, expected: /status of 400/ })
    const general = page.getByRole('region', { name: 'General' })
    const link = general.getByLabel('Link of a position')
    const save = async (address: string) => {
      await link.fill(address)
      await oneSave(page).click()
    }
    await save('http://map.example.org/{lat}/{lon}')
    await general.locator('[aria-invalid=true]').waitFor()
    assert.match((await general.locator('.field .problem').textContent()) ?? '', /begin with https:/)
    await save('https://map.example.org/{lat}/{lon}')
    // The problem goes as soon as the address is another one.
    await general.locator('.field .problem').waitFor({ state: 'detached' })
    await until('it is sent', () => api.state.changes.length === 2)
    assert.deepEqual(api.state.changes.at(-1), ['PATCH', '', { mapLink: 'https://map.example.org/{lat}/{lon}' }])
  })

  test('a poster is made, printed alone, and gone from the screen; an invitation is revoked', async (t) => {
    const { page, api } = await open(t, { at: `#/application/${APP_ID}`, width: 390 })
    const panel = page.getByRole('region', { name: 'Invitations to the app' })
    await panel
      .getByRole('row', { name: /Upper hut/ })
      .getByText('37 of 200')
      .waitFor()
    await panel.getByLabel('How many people').fill('50')
    await panel.getByLabel('Where it hangs').fill('The pass')
    // Gives lasting access.
    api.state.asksAgain = true
    await panel.getByRole('button', { name: 'Make a poster' }).click()
    await page.getByRole('dialog').getByLabel('Password or code').fill('correct horse')
    await page.keyboard.press('Enter')
    await panel.getByText(FINGERPRINT).waitFor()
    await panel.getByAltText('QR code of the invitation').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 390)
    // In the language of the people of the application.
    await panel.getByText('SOS mit deinem Handy').waitFor()
    await page.emulateMedia({ media: 'print' })
    const printed = await page.evaluate<string>('document.body.innerText')
    await page.emulateMedia({ media: 'screen' })
    assert.match(printed, /^Alpine Rescue App\n/)
    assert.match(printed, /https:\/\/sos\.example\.org\/trust.*9F:86.*Notruf 140/s)
    assert.doesNotMatch(printed, /Settings|Upper hut|Print/)
    await panel.getByRole('button', { name: 'Done: hide it' }).click()
    await panel.locator('.sheet').waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: 'Its people: Upper hut' }).click()
    const people = page.getByRole('dialog')
    await people.getByText('36 of 37 are enabled. One has an open alarm and stays enabled.').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await people.getByRole('button', { name: 'Disable all' }).click()
    await people.getByText('1 of 37 are enabled.').waitFor()
    await people.getByRole('button', { name: 'Enable all' }).click()
    await people.getByText('37 of 37 are enabled.').waitFor()
    await people.getByRole('button', { name: 'Done' }).click()
    await panel.getByRole('button', { name: 'Revoke: Upper hut' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(api.state.changes, [
      ['invited', { kind: 'poster', places: 50, label: 'The pass' }],
      ['people disabled', idOf(9700)],
      ['people enabled', idOf(9700)],
      ['invitation ended', idOf(9700)],
    ])
  })

  test('a person gets an invitation for a further phone, and loses a phone; the app and SOS by SMS are set', async (t) => {
    const { page, api } = await open(t, { at: `#/person/${idOf(9000)}` })
    const phones = page.getByRole('region', { name: 'Phones with the app' })
    await phones.getByRole('button', { name: 'Revoke: Firefox, Android' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await phones.getByText('An invitation for this person is open').waitFor()
    await phones.getByRole('button', { name: 'Invite to the app' }).click()
    await phones.getByText(LINK).waitFor()

    await page.evaluate(`location.hash = '#/application/${APP_ID}'`)
    const inApp = page.getByRole('region', { name: 'App in the box' })
    const country = inApp.getByRole('combobox', { name: 'Country' })
    assert.equal(await country.inputValue(), 'Austria')
    await country.fill('ger')
    await inApp.getByRole('option', { name: 'Germany' }).click()
    await inApp.getByLabel('Emergency number').fill('')
    await oneSave(page).click()
    await inApp.getByText('Saved.').waitFor()
    await inApp.getByLabel('Switched on').uncheck()
    await oneSave(page).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const sms = page.getByRole('region', { name: 'SOS by SMS' })
    await sms.getByLabel('A text with SOS raises an alarm').check()
    await sms.getByLabel('Your number').fill('0660 1234567')
    await oneSave(page).click()
    await sms.getByText('Enter the number with its country code').waitFor()
    await sms.getByLabel('Your number').fill('+43 660 1234567')
    await page.getByLabel('Allowed country prefixes').fill('+43')
    await page.getByText('Not saved yet: SOS by SMS, General').waitFor()
    await oneSave(page).click()
    await sms.getByText('Saved.').waitFor()
    await until('both are saved', () => api.state.changes.length === 6)
    assert.deepEqual(api.state.changes, [
      ['phone revoked', idOf(9600)],
      ['invited', { kind: 'device', externalUserId: 'user-0' }],
      ['PATCH', '', { webApp: { country: 'DE', emergencyNumber: null } }],
      ['PATCH', '', { webApp: { on: false } }],
      ['PATCH', '', { smsSos: true, smsNumber: '+436601234567' }],
      ['PATCH', '', { allowedPrefixes: ['+43'] }],
    ])
  })

  test('the audit log says in words who did what, and is filtered by one action or a group of them', async (t) => {
    const { page } = await open(t, { at: '#/system' })
    const log = page.getByRole('region', { name: 'Audit log' })
    const row = log.getByRole('row', { name: /Contacts changed from the person’s phone/ })
    await row.getByText('The person’s app').waitFor()
    await row.getByText('contacts.changed', { exact: true }).waitFor()
    await row.getByText('changed · Fields: Phone').waitFor()
    assert.equal(await row.getByRole('link', { name: 'Person' }).getAttribute('href'), `#/person/${idOf(9000)}`)
    await log
      .getByText('Fields: App in the box, SOS by SMS · SOS by SMS · App in the box: no · Country: Austria')
      .waitFor()
    // Of a later version.
    await log.getByText('later.version').waitFor()
    for (const [option, action] of [
      ['Signed in', 'session.opened'],
      ['Devices: all', 'device.'],
      ['Shifts and on call: all', 'shift.,on_call.'],
    ] as const) {
      const asked = page.waitForRequest(/\/audit\?.*action=/)
      await log.getByLabel('What', { exact: true }).selectOption({ label: option })
      await log.getByRole('button', { name: 'Search' }).click()
      assert.equal(new URL((await asked).url()).searchParams.get('action'), action)
    }
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

  test('the doctor examines when it is asked to, and says what to do', async (t) => {
    const { page } = await open(t, { at: '#/system' })
    await page.getByRole('button', { name: 'Examine' }).click()
    const report = page.getByRole('status').filter({ hasText: 'Something should be done' })
    await report.getByText('✓ Service').waitFor()
    await report.getByText('! Backup').waitFor()
    assert.match((await report.textContent()) ?? '', /no backup has been made yet→ make one/)
  })

  test('the board loads one language and no administration; a part that is gone after an upgrade says so', async (t) => {
    const { page } = await open(t, { expected: /ERR_FAILED/ })
    await page.getByText('Jonas Weber').first().waitFor()
    const loaded = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)")
    const scripts = loaded.flatMap((name) => /assets\/([a-z]+)-\w+\.js$/.exec(name)?.[1] ?? []).toSorted()
    assert.deepEqual(scripts, ['chunk', 'en', 'main'])
    const sizes = await page.evaluate<number>(
      "performance.getEntriesByType('resource').filter(({ name }) => /assets/.test(name)).map(({ encodedBodySize }) => encodedBodySize).reduce((sum, one) => sum + one)",
    )
    assert.ok(sizes > 60_000 && sizes < 106_500, `the board loads ${sizes} bytes`)
    await page.route('**/administration-*', (route) => route.abort())
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('This part could not be loaded').waitFor()
    await page.unroute('**/administration-*')
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByText('New application').waitFor()
  })

  test('an operator makes this device ring with names, tests it, subscribes anew after a sign-in, and stops', async (t) => {
    const own: { publicKey: string; subscription: any } = { publicKey: 'BAEC', subscription: null }
    const asked: string[] = []
    const { page } = await open(t, { width: 390, expected: /status of 401/ })
    await page.addInitScript(`
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
      Notification.requestPermission = async () => 'granted'
      const of = (endpoint) => endpoint === undefined ? null : {
        endpoint,
        options: { applicationServerKey: Uint8Array.of(4, 1, 2).buffer },
        toJSON: () => ({ endpoint, keys: { p256dh: 'p', auth: 'a' } }),
        unsubscribe: async () => delete localStorage.endpoint,
      }
      PushManager.prototype.getSubscription = async () => of(localStorage.endpoint)
      PushManager.prototype.subscribe = async () => of(localStorage.endpoint = 'https://push.test/1')
    `)
    await page.route('**/v1/operator/push**', async (route) => {
      const method = route.request().method()
      const given = method === 'PUT' ? route.request().postDataJSON() : null
      if (method !== 'GET') asked.push([method, given?.wholeText].join(' ').trim())
      if (method === 'POST') return route.fulfill({ json: { outcome: 'sent' } })
      if (method !== 'GET') own.subscription = given && { wholeText: given.wholeText, failure: null }
      return method === 'DELETE' ? route.fulfill({ status: 204 }) : route.fulfill({ json: own })
    })
    await page.evaluate("location.hash = '#/account'")
    await page.reload()
    const panel = page.locator('section', { hasText: 'Alarms on this device' })
    await panel.getByLabel('Show the name of the person').check()
    await panel.getByRole('button', { name: 'Ring for alarms on this device' }).click()
    await panel.getByText('This device rings for alarms. With names.').waitFor()
    await panel.getByRole('button', { name: 'Send a test' }).click()
    await panel.getByText('The test has left').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    // The session has ended, and with it the subscription.
    own.subscription = null
    await page.reload()
    await until('it subscribes anew', () => asked.length === 3)
    await panel.getByRole('button', { name: 'Stop ringing' }).click()
    await panel.getByRole('button', { name: 'Ring for alarms on this device' }).waitFor()
    assert.deepEqual(asked, ['PUT true', 'POST', 'PUT true', 'DELETE'])
    assert.equal(await page.evaluate("localStorage.getItem('tocsin.push')"), null)
  })

  test('an operator takes tonight and gives it back; an administrator changes the list with one button', async (t) => {
    const { page, api } = await open(t, { at: '#/on-call' })
    await page.getByRole('heading', { name: 'Ivo Early is on duty' }).waitFor()
    await page.getByText('Nobody has looked at this list since').waitFor()
    await page.getByRole('button', { name: 'Add a person' }).click()
    await page.getByLabel('Name').last().fill('Lea Late')
    await page.getByLabel('Phone number').last().fill('+43 (0)660 0000008')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('zürich')
    await page.getByRole('option', { name: /Zurich/ }).click()
    // What an administrator has typed stays while somebody takes a duty.
    await page.getByRole('button', { name: 'I take it until the next hand-over' }).click()
    await page.getByRole('heading', { name: 'Eva Night is on duty' }).waitFor()
    await page.getByRole('button', { name: 'Give it back' }).click()
    await page.getByRole('heading', { name: 'Ivo Early is on duty' }).waitFor()
    await page.getByRole('button', { name: 'Lea Late: earlier' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until('it is stored', async () => api.state.onCall?.people.length === 3)
    const { people = [], order = [], everyDays, timeZone } = api.state.onCall ?? {}
    assert.equal(timeZone, 'Europe/Zurich')
    assert.deepEqual(
      [order.map((id) => people.find((one) => one.id === id)?.name), people[2]?.phone, everyDays],
      [['Ivo Early', 'Lea Late', 'Eva Night'], '+436600000008', 7],
    )
  })

  const views: readonly (readonly [name: string, at: string, ready: string])[] = [
    ['board', '#/', 'Jonas Weber'],
    ['wall', '#/wall', 'Jonas Weber'],
    ['incident', `#/incident/${JONAS}`, 'Timeline'],
    ['history', '#/history', 'Jonas Weber'],
    ['exercise', `#/incident/${idOf(5)}`, 'invalid number'],
    ['readiness', '#/readiness', 'Add an emergency contact.'],
    ['on call', '#/on-call', 'Ivo Early is on duty'],
    ['people', '#/people', 'user-1'],
    ['person', `#/person/${idOf(9000)}`, 'Firefox, Android'],
    ['devices', '#/devices', 'A84041FFFF1234'],
    ['device', `#/device/${APP_ID}/A84041FFFF1234`, 'Token and set-up'],
    ['settings', '#/settings', 'New application'],
    ['application', `#/application/${APP_ID}`, 'Upper hut'],
    ['system', '#/system', 'session.opened'],
    ['account', '#/account', '2 codes left'],
    ['first steps', '#/start', 'Simulate an SOS'],
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
