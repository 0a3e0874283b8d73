import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { addOperator } from '../../src/app/operator/operators.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { idOf } from '../console/items.ts'
import { needsBrowser } from '../harness/browser.ts'
import { firstSignIn } from '../harness/operator-browser.ts'
import { startSite } from '../harness/site.ts'
import { startTwilio } from '../harness/twilio-stand-in.ts'
import { until } from '../harness/wait.ts'
import { axeFindings, consoleBrowser } from './console-page.ts'
import { exampleSetup } from './fake-setup.ts'

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Enters the password and the code of the authenticator app. */
async function proves(page: Page, yes: string, password = 'correct horse'): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByLabel('Code from the authenticator app').fill('123456')
  await dialog.getByRole('button', { name: yes }).click()
}

suite('the console in a browser: the setup of the site', needsBrowser, () => {
  const { open, visitor } = consoleBrowser()
  const expected = /status of 40[039]/

  test('a way to send comes in front once the code of its test message, the password and a code are entered', async (t) => {
    const { page, api } = await open(t, { open: [], at: '#/settings', expected })
    await page.getByRole('link', { name: /Site setup/ }).click()
    const messages = panel(page, 'Where messages go')
    await messages.getByRole('button', { name: 'Set up: Twilio' }).click()
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Twilio')
    assert.deepEqual(await axeFindings(page), [])
    await messages.getByLabel('Account SID').fill('SK17')
    await messages.getByLabel('Auth Token').fill('not shown again')
    await messages.getByLabel('Number to send from').fill('+12025550123')
    const phone = messages.getByLabel('Your phone number')
    await phone.fill('0660 1234567')
    await page.keyboard.press('Enter')
    await messages.getByText('Enter the number with its country code').waitFor()
    await phone.fill('0043 660 1234567')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('A text with a code goes to +436601234567.').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await proves(page, 'Send me a text')
    await messages.getByText('It begins with AC.').waitFor()
    assert.equal(await messages.getByLabel('Account SID').getAttribute('aria-invalid'), 'true')
    await messages.getByText('Not saved: see the marked fields.').waitFor()
    await messages.getByLabel('Account SID').fill('AC17')
    for (const [error, advice] of [
      ['provider error 20003', 'did not accept the credentials'],
      ['invalid number', 'refuses your phone number'],
      ['connection timeout', 'There was no answer'],
      ['blocked address', 'allow it first under'],
    ] as const) {
      api.state.testError = error
      await messages.getByRole('button', { name: 'Send me a text' }).click()
      await proves(page, 'Send me a text')
      await messages.getByText(advice).waitFor()
    }
    api.state.testError = null
    await messages.getByRole('button', { name: 'Send me a text' }).click()
    await proves(page, 'Send me a text')
    await messages.getByText('on its way to +436601234567').waitFor()
    assert.deepEqual(api.state.changes, [
      [
        'setup test',
        { 'twilio.accountSid': 'AC17', 'twilio.authToken': 'not shown again', 'twilio.from': '+12025550123' },
        '+436601234567',
      ],
    ])
    await messages.getByText('Calls: not tried.').waitFor()
    await messages.getByRole('button', { name: 'Call me with a code' }).click()
    await proves(page, 'Call me with a code')
    await messages.getByText('A call to +436601234567 says the code').waitFor()
    assert.equal((api.state.changes.at(-1) as string[])[0], 'setup call')
    assert.deepEqual(await axeFindings(page), [])
    await messages.getByLabel('Code in the call').fill('1234 5678')
    await messages.getByLabel('Code in the text').fill('0000 0000')
    await page.keyboard.press('Enter')
    await proves(page, 'Use it from now on')
    await messages.getByText('That is not the code of the last test message').waitFor()
    await messages.getByLabel('Code in the text').fill('1234 5678')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Your own gateway (HTTP) stays behind it').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await proves(page, 'Use it from now on', 'wrong')
    await page.getByRole('dialog').getByText('The current password is wrong.').waitFor()
    await proves(page, 'Use it from now on')
    await messages.getByText('Twilio now sends first. Your own gateway (HTTP) stays behind it').waitFor()
    await messages.getByRole('button', { name: 'Change: Twilio' }).waitFor()
    assert.deepEqual(await messages.locator('.providers strong').allTextContents(), [
      'Twilio',
      'Your own gateway (HTTP)',
    ])
    // Its secret is on no page any more.
    await messages.getByRole('button', { name: 'Change: Twilio' }).click()
    const token = messages.getByRole('group', { name: 'Auth Token' })
    await token.getByText('Set. It is never shown.').waitFor()
    await token.getByText(/^Set by Eva Night, /).waitFor()
    assert.ok(!(await page.content()).includes('not shown again'))
    await messages.getByRole('button', { name: 'Cancel' }).click()

    await messages.getByRole('button', { name: 'Remove: Your own gateway (HTTP)' }).click()
    await page.getByRole('dialog').getByText('You can undo this for 7 days').waitFor()
    await proves(page, 'Remove')
    await messages.getByText('Saved. In force now.').waitFor()
    await messages.getByRole('button', { name: 'Remove: Your own gateway (HTTP)' }).waitFor({ state: 'detached' })
    assert.equal(await messages.getByRole('button', { name: 'Remove: ' }).count(), 0, 'the last one stays')
  })

  test('on an empty site the first steps lead to a provider, and from there an SOS leaves, without an editor', async (t) => {
    // It leaves before the site stops, which would refuse what it asks.
    const { page } = await visitor(t, { viewport: { width: 1280, height: 800 } })
    const twilio = await startTwilio(t)
    const { accountSid, authToken, from, ...rest } = twilio.config() as Record<string, string>
    const site = await startSite(t, { now: Date.now(), contacts: ['Ana'], config: { twilio: rest } })
    const { store, listeners } = site.service
    const account = { login: 'eva', name: 'Eva Night', role: 'admin', applications: null } as const
    const by = { actor: COMMAND, address: null, now: site.clock.now() }
    const added = await addOperator({ store, ids: createIds() }, account, by)
    if ('refused' in added) assert.fail(added.refused)
    const link = `http://localhost/#invitation=${added.invited.secret}`
    const password = 'three wet marmots'
    const authenticator = await firstSignIn(page, listeners.http!, { link, password, now: () => site.clock.now() })
    await page.getByText('No message leaves this machine').waitFor()
    await page.locator('main').getByRole('link', { name: 'First steps' }).click()
    await page.getByRole('button', { name: '5. Set up where messages go' }).click()
    await page.getByRole('link', { name: 'Set up where messages go' }).click()
    const messages = panel(page, 'Where messages go')
    await messages.getByText('Nothing leaves this machine').waitFor()
    await messages.getByRole('button', { name: 'Set up: Twilio' }).click()
    await messages.getByLabel('Account SID').fill(accountSid!)
    await messages.getByLabel('Auth Token').fill(authToken!)
    await messages.getByLabel('Number to send from').fill(from!)
    await messages.getByLabel('Your phone number').fill('+43 660 1234567')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill(password)
    await dialog.getByLabel('Code from the authenticator app').fill(authenticator.code())
    await page.keyboard.press('Enter')
    await messages.getByText('on its way to +436601234567').waitFor()
    const [, code] = /(\d{4} \d{4})/.exec(String(twilio.messages[0]!.params.Body))!
    await messages.getByLabel('Code in the text').fill(code!)
    // The next code of the authenticator app.
    await site.advance('30 s')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Your password').fill(password)
    await dialog.getByLabel('Code from the authenticator app').fill(authenticator.code())
    await page.keyboard.press('Enter')
    await messages.getByText('Twilio now sends first.').waitFor()
    // Whoever has just done it needs no news of it.
    const [change] = await site.service.store.settingChanges()
    assert.equal(await page.evaluate("localStorage.getItem('tocsin.setup-seen')"), JSON.stringify([change!.id]))
    await page.getByText('No message leaves this machine').waitFor({ state: 'detached' })
    await site.user.presses()
    await site.advance('15 s')
    await until('the SOS has left', async () => twilio.messages.length === 2)
    assert.equal(twilio.messages[1]!.params.To, '+436600000001')
    await page.evaluate("location.hash = '#/start'")
    await page.getByText('✓ Messages leave this machine').waitFor()
  })

  test('what the file sets is shown, and only there to be changed; a bad value stands at its field', async (t) => {
    const { page, api } = await open(t, { open: [], expected })
    const now = Date.now()
    const file = { 'notifications.providers': ['http'], publicUrl: 'https://sos.example.org', 'lorawan.servers': {} }
    api.state.setup = exampleSetup(now, { ...file, 'gateway.url': 'https://gateway' })
    await page.evaluate("location.hash = '#/setup'")
    const address = panel(page, 'Public address')
    await address.getByText('Set in the configuration file (publicUrl), which wins').waitFor()
    assert.equal(await address.getByLabel('Public address').getAttribute('readonly'), '')
    assert.equal(await address.getByRole('button').count(), 0)
    const messages = panel(page, 'Where messages go')
    await messages.getByText('Set in the configuration file (notifications.providers)').waitFor()
    assert.equal(await messages.getByRole('button').count(), 0)
    await panel(page, 'LoRaWAN network servers').getByText('Set in the configuration file').waitFor()

    const map = panel(page, 'Map')
    await map.getByLabel('Address of the map images').fill('http://tiles')
    await map.getByLabel('Credit on the map').fill('Alpine Club')
    await map.getByRole('button', { name: 'Save' }).click()
    await proves(page, 'Save')
    await map.getByText('Enter an https address with {z}, {x} and {y}.').waitFor()
    assert.equal(await map.getByLabel('Credit on the map').inputValue(), 'Alpine Club')
    await map.getByLabel('Address of the map images').fill('https://tiles/{z}/{x}/{y}.png')
    await map.getByRole('button', { name: 'Save' }).click()
    await proves(page, 'Save')
    await map.getByText('Saved. In force now.').waitFor()
    assert.deepEqual(api.state.changes.at(-1), [
      'setup',
      { 'map.tileUrl': 'https://tiles/{z}/{x}/{y}.png', 'map.attribution': 'Alpine Club' },
    ])
  })

  test('an address that phones use asks for both proofs, and for another one only where the last is too old', async (t) => {
    const { page, api } = await open(t, { open: [], at: '#/setup', expected })
    const address = panel(page, 'Public address')
    await address.getByLabel('Public address').fill('https://sos.example.org/#a')
    await address.getByRole('button', { name: 'Save' }).click()
    await proves(page, 'Save')
    await address.getByText('Enter the address without user, ? and #.').waitFor()
    await address.getByLabel('Public address').fill('https://sos.example.org')
    await address.getByRole('button', { name: 'Save' }).click()
    // The proof of ten minutes is over: the password that was just typed gives it, without another question.
    api.state.asksAgain = true
    await proves(page, 'Save')
    await address.getByText('Saved. In force now.').waitFor()
    await address.getByText(/Set by Eva Night, /).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('a certificate comes from a public CA once its terms are accepted, or is pasted; what the file has stays there', async (t) => {
    const { page, api } = await open(t, { open: [], at: '#/setup', expected })
    const part = panel(page, 'Certificate')
    await part
      .getByText(/^In use.*Of the local CA, for hut\.local, 192\.168\.4\.20, until .* Phones reject it\./)
      .waitFor()
    await part.getByLabel('Which certificate').selectOption('acme')
    assert.equal(await part.getByLabel('Port where the CA asks').inputValue(), '80')
    assert.deepEqual(await axeFindings(page), [])
    const save = part.getByRole('button', { name: 'Save' })
    await save.click()
    await part.getByText('Accept the terms of the CA first.').waitFor()
    await part.getByLabel('I accept the terms of the CA').check()
    await save.click()
    await proves(page, 'Save')
    await part.getByText('Set the public address first, with a name').waitFor()
    const address = panel(page, 'Public address')
    await address.getByLabel('Public address').fill('https://sos.example.org')
    await address.getByRole('button', { name: 'Save' }).click()
    await proves(page, 'Save')
    await address.getByText('Saved. In force now.').waitFor()
    await save.click()
    await proves(page, 'Save')
    await part.getByText(/^In use.*From the public CA, for sos\.example\.org, until/).waitFor()
    assert.deepEqual(api.state.changes.at(-1), ['setup', { 'acme.enabled': true, 'http.acmePort': 80 }])

    await part.getByLabel('Which certificate').selectOption('own')
    await save.click()
    await part.getByText('Enter the certificate and its private key.').waitFor()
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await part.getByLabel('Choose files').setInputFiles([file('a.crt', 'CERTIFICATE'), file('a.key', 'PRIVATE KEY')])
    await save.click()
    await proves(page, 'Save')
    await part.getByText('Saved. In force now.').waitFor()
    const values = { 'acme.enabled': null, 'http.acmePort': null, 'tls.pem': 'CERTIFICATE\nPRIVATE KEY' }
    assert.deepEqual(api.state.changes.at(-1), ['setup', values])
    assert.ok(!(await page.content()).includes('PRIVATE KEY'))

    api.state.setup = exampleSetup(Date.now(), { 'acme.enabled': true })
    await page.reload()
    await part.getByText('Set in the configuration file (acme.enabled), which wins').waitFor()
    assert.equal(await part.getByLabel('Which certificate').count(), 0)
  })

  test('a time zone is found by its city; a change is undone once it says what that restores', async (t) => {
    const { page, api } = await open(t, { open: [], at: '#/setup', expected, width: 390 })
    const time = panel(page, 'Time zone')
    const zone = time.getByRole('combobox', { name: 'Time zone' })
    // As its own people write it, in the words of the reader.
    await zone.fill('wien')
    await time.getByRole('option', { name: 'Austria – Vienna' }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Enter')
    assert.equal(await zone.inputValue(), 'Austria – Vienna')
    await time.getByText(/^Type a city.* It is \d\d:\d\d there now\.$/).waitFor()
    await time.getByRole('button', { name: 'Save' }).click()
    await time.getByText('Saved. In force now.').waitFor()
    const changes = panel(page, 'Latest changes')
    await changes.getByRole('button', { name: /^Undo: Your own gateway/ }).click()
    await page
      .getByRole('dialog')
      .getByText(/what they had before: Address to post to, Headers, Order of sending\. Former credentials/)
      .waitFor()
    await proves(page, 'Undo')
    await changes.getByText('Undone. The former values are in force.').waitFor()
    assert.deepEqual(api.state.changes.at(-1), ['undo', api.state.setup.changes.at(-2)!.id])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  })

  test('every administrator reads who changed where messages go, until they put it away in this browser', async (t) => {
    const { page, api } = await open(t, { open: [], width: 390 })
    const at = new Date(Date.now() - 3_600_000).toISOString()
    const change = (n: number, section: string) => ({
      id: idOf(800 + n),
      at,
      author: 'Ana http://bad.example',
      section,
    })
    api.state.setupNews = [
      change(1, 'provider/twilio'),
      ...['lan', 'mail', 'address', 'map'].map((one, n) => change(n + 2, one)),
    ]
    await page.reload()
    const news = page.getByRole('complementary', { name: 'Changes of the site setup' })
    const first = news.getByRole('status').filter({ hasText: 'Twilio' })
    assert.match((await first.textContent())!, /\d\d: Ana .* changed “Twilio” in the site setup/)
    assert.equal(await news.getByRole('link', { name: 'Look at it' }).first().getAttribute('href'), '#/setup')
    await news.getByText('2 further changes').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await first.getByRole('button', { name: 'Seen' }).click()
    await news.getByText('“Twilio”').waitFor({ state: 'detached' })
    await page.reload()
    await news.getByText('1 further change').waitFor()
    assert.equal(await news.getByText('“Twilio”').count(), 0)
    await news.getByRole('button', { name: 'All seen' }).click()
    await news.waitFor({ state: 'detached' })
    // An operator who may not change the setup is not told.
    api.state.setupNews = [change(9, 'address')]
    await page.reload()
    await news.getByText('“Public address”').waitFor()
    api.state.role = 'operator'
    await page.reload()
    await page.getByRole('link', { name: 'Board', exact: true }).waitFor()
    assert.equal(await news.count(), 0)
  })

  test('a network server is added and removed, and the others keep their secrets', async (t) => {
    const { page, api } = await open(t, { open: [], at: '#/setup', expected })
    const servers = panel(page, 'LoRaWAN network servers')
    await servers.getByRole('button', { name: 'Add a network server' }).click()
    await servers.getByLabel('Name of the server').fill('hut')
    await servers.getByLabel('Token for uplinks').fill('a-token-of-sixteen')
    assert.deepEqual(await axeFindings(page), [])
    await servers.getByRole('button', { name: 'Save' }).click()
    await proves(page, 'Save')
    await servers.getByText('Saved. In force now.').waitFor()
    const [, sent] = api.state.changes.at(-1) as [string, { 'lorawan.servers': Record<string, { token: string }> }]
    const tokens = Object.entries(sent['lorawan.servers']).map(([name, { token }]) => [name, token])
    assert.deepEqual(tokens, [
      ['valley', '[secret]'],
      ['hut', 'a-token-of-sixteen'],
    ])
    await servers.getByRole('button', { name: 'Remove: valley' }).click()
    await page.getByRole('dialog').getByText('an SOS of its trackers no longer arrives').waitFor()
    await proves(page, 'Remove')
    await servers.getByText('valley', { exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(Object.keys((api.state.changes.at(-1) as [string, any])[1]['lorawan.servers']), ['hut'])
    // Profiles go to the service as they are typed, which reads them.
    const profiles = panel(page, 'Profiles of trackers')
    await profiles.getByRole('textbox').fill('my-button:\n  sos: { ports: [10] }')
    await profiles.getByRole('button', { name: 'Save' }).click()
    await proves(page, 'Save')
    await profiles.getByText('Saved. In force now.').waitFor()
    assert.deepEqual((api.state.changes.at(-1) as [string, any])[1], {
      'lorawan.profiles': 'my-button:\n  sos: { ports: [10] }',
    })
    const elsewhere = panel(page, 'Set up elsewhere')
    await elsewhere.getByText('needed before the database is open').waitFor()
  })
})
