import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, contrastProblems, needsBrowser, openBrowser, visit } from '../harness/browser.ts'
import { endAll } from '../harness/last-first.ts'
import { type LossyLine, openLossyLine } from '../harness/lossy-line.ts'
import {
  type Authenticator,
  firstAdministrator,
  firstSignIn,
  pressesByKeyboard,
  provesApp,
} from '../harness/operator-browser.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type ProcessSite, startProcessSite } from '../harness/process-site.ts'
import { PUBLIC_URL } from '../harness/site-store.ts'
import { until } from '../harness/wait.ts'

const PASSWORD = 'three wet marmots'
const ANA = '+436600000001'
/** Markup, an override of the direction, nothing wide. */
const MIA = '\u202e<b>Mia</b>\u200b Moser & Co'
const MIA_SHOWN = '<b>Mia</b> Moser & Co'

/** Notes what sounds over and over, because nobody hears a test. */
const NOTE_SOUNDS = `
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
`

/** One story, test after test, with one service and two operators at their screens. */
suite('the console on the running service', needsBrowser, () => {
  let browser: Browser
  let site: ProcessSite
  /** Between Max and the service. */
  let line: LossyLine
  let eva: Page
  let max: Page
  let authenticatorOfMax: Authenticator
  let mia: PhoneUser
  let incidentId: string
  /** Of a screen on the wall. */
  let token: string
  const ends: (() => unknown)[] = []
  const closes = { after: (end: () => unknown) => ends.push(end) }

  before(async () => {
    ;[browser, site] = await Promise.all([
      openBrowser(),
      startProcessSite(closes, { settings: { 'grace-seconds': 0.1 } }),
    ])
    ends.push(() => browser.close())
    line = await openLossyLine(closes, () => site.http)
  })
  after(() => endAll(ends))

  const board = (page: Page) => page.locator('.row strong:not(.tag)').allTextContents()
  const sounding = (page: Page) => page.evaluate<number>('sounding')
  const api = (path: string, init: RequestInit = {}) =>
    fetch(`${site.http}/v1/operator${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })
  const fetchAsEva = (path: string) => eva.evaluate<any>(`fetch('/v1/operator/${path}').then((found) => found.json())`)
  const caseNow = () => fetchAsEva(`incidents/${incidentId}`)

  async function newUser(id: string, name: string): Promise<PhoneUser> {
    const user = await site.user(id)
    await user.introduce({ name })
    await user.listen()
    return user
  }

  test('the first administrator opens the address of the start, another operator the link of the command line, and both arm the sound', async () => {
    const screen = { viewport: { width: 1280, height: 800 } }
    // A page that is loaded again wants a click before it sounds. Each may be second; Max's line and session end.
    const expected = [/status of 409|AudioContext was not allowed/, /status of 40[19]|net::ERR_/]
    const visits = async (n: 0 | 1): Promise<Page> => {
      const { page } = await visit(closes, browser, { ...screen, expected: expected[n]! })
      await page.addInitScript(NOTE_SOUNDS)
      return page
    }
    const arms = async (page: Page): Promise<void> => {
      await page.getByText('No open alarms.').waitFor()
      await page.getByRole('button', { name: 'Sound off' }).click()
      await page.getByRole('button', { name: 'Sound on' }).waitFor()
    }
    ;[eva, max] = await Promise.all([visits(0), visits(1)])
    const [link = ''] = (await readFile(join(site.dataDir, 'setup-link'), 'utf8')).split('\n')
    await firstAdministrator(eva, site.http, { link, login: 'eva', name: 'Eva Night', password: PASSWORD })
    const invited = await site.tocsin('operator', 'add', 'max', '--name', 'Max Berg')
    authenticatorOfMax = await firstSignIn(max, line.url, { link: invited.link, password: PASSWORD })
    await Promise.all([arms(eva), arms(max)])
  })

  test('presses over MQTT are on both screens, and ring', async () => {
    mia = await site.user('mia', [
      { name: 'Ana Adler', phone: ANA },
      { name: 'Ben Berg', phone: '+436600000002' },
    ])
    await mia.introduce({ name: MIA, phone: '+436600000009' })
    await mia.listen()
    for (const user of [mia, await newUser('Noa', 'Noa'), await newUser('Lio', 'Lio')]) {
      await user.presses({ timestamp: new Date().toISOString(), latitude: 47.07, longitude: 12.69, mobileBattery: 43 })
    }
    for (const page of [eva, max]) {
      await until('every press is on the board', async () => (await board(page)).length === 3)
      assert.deepEqual((await board(page)).toSorted(), [MIA_SHOWN, 'Lio', 'Noa'])
      await until('it rings, once', async () => (await sounding(page)) === 1)
      await until('the tab counts', async () => (await page.title()) === '(3!) Tocsin')
    }
  })

  test('the answer of a contact on a phone is on both screens', async () => {
    const path = await until('Ana has her SMS', async () => {
      const sent: { readonly to: string; readonly text: string }[] = await site.tocsin('outbox', 'list')
      return sent.flatMap(({ to, text }) => (to === ANA ? (/\/t\/[\w-]+/.exec(text) ?? []) : []))[0]
    })
    const { page: ana } = await visit(closes, browser)
    await ana.goto(site.http + path)
    await ana.getByRole('button', { name: /^I'm coming, in 30/ }).click()
    await ana.getByText('Your answer: you are coming').first().waitFor()
    for (const page of [eva, max]) await page.getByText('Ana Adler is coming, about 30 min').waitFor()
    incidentId = (await mia.openIncident()).incidentId
  })

  test('while the line is cut the screen says so, and afterwards it has everything once', async () => {
    line.set('cut')
    await max.getByText('this screen shows no new alarms').waitFor()
    await newUser('Pia', 'Pia').then((pia) => pia.presses())
    await mia.presses()
    await eva.getByText('Pia', { exact: true }).waitFor()
    await eva.reload()
    line.set('clear')
    for (const page of [eva, max]) {
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByText('2 presses').waitFor()
      assert.deepEqual((await board(page)).toSorted(), [MIA_SHOWN, 'Lio', 'Noa', 'Pia'])
    }
    assert.deepEqual(await board(max), await board(eva))
    assert.equal(await sounding(max), 1)
  })

  test('with the keyboard alone an operator opens an alarm, takes it, and gives it back', async () => {
    await pressesByKeyboard(max, /^.*Mia.*Hut/)
    await max.getByRole('heading', { name: MIA_SHOWN }).waitFor()
    await pressesByKeyboard(max, /^I’ll take it$/)
    await max.getByText('Max Berg has taken it').waitFor()
    await eva.getByRole('button', { name: 'Taken 1' }).click()
    await eva.getByText('Max Berg has taken it').waitFor()
    await pressesByKeyboard(max, /^Undo/)
    await max.getByRole('button', { name: 'I’ll take it' }).waitFor()
  })

  test('a session that ends in the middle of a note costs no word of it', async () => {
    await max.getByLabel('New note').fill('Helicopter <b>C7</b> called')
    await site.tocsin('operator', 'disable', 'max')
    await site.tocsin('operator', 'enable', 'max')
    const dialog = max.getByRole('dialog')
    await dialog.getByText('Your session has ended').waitFor()
    await dialog.getByLabel('Password').fill('three wet weasels')
    await dialog.getByLabel('Code').fill(authenticatorOfMax.code())
    await max.keyboard.press('Enter')
    await dialog.getByText('That doesn’t match').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await max.keyboard.press('Enter')
    await max.getByRole('button', { name: 'Add note' }).click()
    await max.locator('.notes').getByText('Helicopter <b>C7</b> called').waitFor()
    await max.getByText('Live', { exact: true }).waitFor()
  })

  test('a passkey signs in without password and code, until it is reset', async (t) => {
    // At the address of the site, which this browser finds on this machine; what does not end is not passed on.
    const { page } = await visit(t, browser, {
      viewport: { width: 1280, height: 900 },
      expected: /a request to sos\.example\.org|status of 40[19]|net::ERR_/,
    })
    await page.route(`${PUBLIC_URL}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname.endsWith('/events')) return route.abort()
      return route.fulfill({ response: await route.fetch({ url: site.http + pathname, maxRedirects: 0 }) })
    })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    await page.goto(`${PUBLIC_URL}/console/`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('Nothing happened').waitFor()
    const { link } = await site.tocsin('operator', 'add', 'ida', '--name', 'Ida Ice')
    await page.evaluate(`location.hash = '${new URL(link).hash}'`)
    await page.getByLabel('Choose a password').fill(PASSWORD)
    await provesApp(page)
    await page.evaluate("location.hash = '#/account'")

    const own = page.locator('section', { hasText: 'Passkeys' })
    await own.getByLabel('Name').fill('Key of <b>Ida</b>')
    await own.getByRole('button', { name: 'Add a passkey' }).click()
    await own.getByText('has been added').waitFor()
    await own.getByRole('row', { name: /Key of <b>Ida<\/b>.*never/ }).waitFor()
    assert.deepEqual(await accessibilityProblems(page), [])
    await own.getByRole('button', { name: 'Rename: Key of <b>Ida</b>' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Old key of <b>Ida</b>')
    assert.deepEqual(await accessibilityProblems(page), [])
    await page.keyboard.press('Enter')
    await own.getByRole('row', { name: /^Old key of <b>Ida<\/b>/ }).waitFor()
    await own.getByRole('button', { name: 'Add a passkey' }).click()
    await own.getByText('This device has a passkey of yours already').waitFor()

    await page.evaluate("fetch('/v1/operator/session', { method: 'DELETE', headers: { 'x-tocsin-console': '1' } })")
    await page.reload()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await own.getByRole('row', { name: /Old key of <b>Ida/ }).waitFor()

    // Leo's session ends while he writes, and the device offers Ida's passkey: nothing of his is sent as hers.
    await page.evaluate("fetch('/v1/operator/session', { method: 'DELETE', headers: { 'x-tocsin-console': '1' } })")
    await page.reload()
    const leo = await site.tocsin('operator', 'add', 'leo', '--name', 'Leo Late')
    await page.evaluate(`location.hash = '${new URL(leo.link).hash}'`)
    await page.getByLabel('Choose a password').fill(PASSWORD)
    await provesApp(page)
    await page.evaluate(`location.hash = '#/incident/${incidentId}'`)
    await page.getByLabel('New note').fill('Written by Leo')
    await site.tocsin('operator', 'disable', 'leo')
    await site.tocsin('operator', 'enable', 'leo')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.evaluate('globalThis.isOfLeo = true')
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).click()
    const isAnew = "globalThis.isOfLeo === undefined && document.querySelector('.account') !== null"
    await until('the page began anew', () => page.evaluate<boolean>(isAnew).catch(() => false))
    assert.equal(await page.evaluate('location.hash'), '#/')
    assert.match((await page.locator('.account').textContent()) ?? '', /Ida Ice/)
    assert.ok(!JSON.stringify((await caseNow()).notes).includes('Leo'), 'and nothing is sent')

    const [key] = await site.tocsin('operator', 'passkeys', 'ida')
    assert.deepEqual([key.name, key.host, key.usedAt === null], ['Old key of <b>Ida</b>', 'sos.example.org', false])
    assert.deepEqual(await site.tocsin('operator', 'passkeys', 'ida', '--reset'), { login: 'ida', removed: 1 })
    await page.evaluate("location.hash = '#/history'")
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await dialog.getByText('This passkey was not accepted').waitFor()

    await eva.evaluate("location.hash = '#/account'")
    await eva.getByText(`Passkeys work only at ${PUBLIC_URL}. Open the console there.`).waitFor()
  })

  test('a screen on the wall reads and can do nothing else, whatever it asks for', async (t) => {
    await eva.evaluate("location.hash = '#/system'")
    const form = eva.locator('section', { hasText: 'Tokens for scripts' })
    await form.getByLabel('Name').fill('Wall')
    await form.getByRole('button', { name: 'Create a one-year token' }).click()
    token = (await form.locator('.secret code').textContent())!
    const { page: wall } = await visit(t, browser, { expected: /status of 40[13]|net::ERR_INCOMPLETE/ })
    await wall.goto(`${site.http}/console#token=${token}`)
    await wall.locator('.wall').getByRole('list').getByText(MIA_SHOWN).waitFor()
    assert.equal(await wall.locator('button').count(), 0)
    assert.doesNotMatch(wall.url(), /tocsin_/)
    await wall.evaluate(`location.hash = '#/incident/${incidentId}'`)
    await wall.getByText('You have read-only access.').waitFor()
    assert.deepEqual(
      (await wall.locator('main button, main a').allTextContents()).filter(
        (text) => !/^(Back to|\+|−|Copy|Call|Leaflet)/.test(text.trim()),
      ),
      [],
    )
    const before = await caseNow()
    for (const action of ['take', 'resolve', 'resume', 'untake', 'notes', 'resend', 'called-back']) {
      const forged = await wall.evaluate<number>(`fetch('/v1/operator/incidents/${incidentId}/${action}', {
        method: 'POST',
        headers: {
          authorization: 'Bearer ' + localStorage.getItem('tocsin.token'),
          'content-type': 'application/json',
          'x-tocsin-console': '1',
        },
        body: '{}',
      }).then(({ status }) => status)`)
      assert.equal(forged, 403, action)
    }
    assert.deepEqual(await caseNow(), before)

    // Stolen: the stream ends at once, and the next request is refused.
    const stolen = await api('/events')
    const reader = stolen.body!.getReader()
    await reader.read()
    await form.getByRole('row', { name: /Wall/ }).getByRole('button', { name: 'Revoke' }).click()
    await eva.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await until('the stream of the stolen token has ended', () =>
      reader.read().then(
        ({ done }) => done,
        () => true,
      ),
    )
    assert.equal((await api('/incidents')).status, 401)
    await wall.getByText('Your session has ended').waitFor()
  })

  test('another site can make the browser of an operator change nothing and read nothing', async (t) => {
    const target = `${site.http}/v1/operator/incidents/${incidentId}`
    const page = `<!doctype html><form method="post" enctype="text/plain" action="${target}/resolve"></form>`
    const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const visitor = await eva.context().newPage()
    t.after(async () => {
      await visitor.close()
      other.closeAllConnections()
      await new Promise((resolve) => other.close(resolve))
    })
    const before = await caseNow()
    // To a browser, another port is another origin of the same site, whose requests carry the cookie.
    for (const [host, status] of [
      ['127.0.0.1', 403],
      ['localhost', 401],
    ] as const) {
      await visitor.goto(`http://${host}:${port}/`)
      const asked = await visitor.evaluate<readonly string[]>(`Promise.all([
        fetch('${target}/resolve', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }),
        fetch('${target}/take', { method: 'POST', credentials: 'include', headers: { 'x-tocsin-console': '1' } }),
        fetch('${target}', { credentials: 'include' }),
      ].map((sent) => sent.then(({ type }) => type, () => 'refused')))`)
      assert.deepEqual(asked, ['opaque', 'refused', 'refused'], host)
      const answered = visitor.waitForResponse(`${target}/resolve`)
      await visitor.evaluate('document.forms[0].submit()')
      assert.equal((await answered).status(), status, host)
      await visitor.waitForURL(`${target}/resolve`)
    }
    assert.deepEqual(await caseNow(), before)
  })

  test('of two who end an alarm at once one wins, and the other reads who was first', async () => {
    for (const page of [eva, max]) {
      await page.evaluate(`location.hash = '#/incident/${incidentId}'`)
      await page.getByRole('button', { name: 'End the alarm' }).click()
    }
    await Promise.all(
      [eva, max].map((page) => page.getByRole('dialog').getByRole('button', { name: 'End the alarm' }).click()),
    )
    for (const page of [eva, max]) await page.getByText(/by an operator \((Eva Night|Max Berg)\)/).waitFor()
    const first = (page: Page) => page.getByText('Someone else was first: this alarm has already ended').count()
    await until('one of them reads that the other was first', async () => (await first(eva)) + (await first(max)) === 1)
    await until('Mia is told', () => mia.events.some(({ status }) => status === 'resolved'))
    await until('the rest still rings', async () => (await eva.title()) === '(3!) Tocsin')
  })

  test('the report says what happened, and prints', async () => {
    const [report] = await Promise.all([
      eva.context().waitForEvent('page'),
      eva.getByRole('link', { name: 'Report', exact: true }).click(),
    ])
    await report.getByText('Incident report').waitFor()
    const said = await report.locator('body').textContent()
    for (const part of [MIA_SHOWN, '+436600000009', 'Ana Adler', 'about 30 min', 'Max Berg', 'Helicopter <b>C7</b>']) {
      assert.ok(said?.includes(part), `${part}: ${said}`)
    }
    await report.emulateMedia({ media: 'print' })
    assert.deepEqual(await accessibilityProblems(report), [])
    const pdf = await report.pdf({ format: 'A4' })
    assert.ok(pdf.subarray(0, 5).toString() === '%PDF-' && pdf.length > 10_000, `${pdf.length} bytes`)
    await report.close()
  })

  // What axe finds in each view is in browser/console-settings.
  test('every view shows what the service answers; axe finds nothing on the board and in a closed case', async () => {
    const [person] = (await fetchAsEva('users?limit=1')).items
    const views = [
      '',
      'wall',
      `incident/${incidentId}`,
      'history',
      'people',
      `person/${person.id}`,
      'devices',
      'settings',
    ]
    for (const view of [...views, `application/${site.appId}`, 'system', 'account', 'start']) {
      await eva.evaluate(`location.hash = '#/${view}'`)
      await eva.locator('main h1').waitFor()
      await until(`${view} has been read`, async () => (await eva.getByText('Loading …').count()) === 0)
      if (view !== '' && view !== `incident/${incidentId}`) continue
      assert.deepEqual(await accessibilityProblems(eva), [], view)
      await eva.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await contrastProblems(eva), [], `${view} in the dark`)
      await eva.emulateMedia({ colorScheme: 'light' })
    }
  })
})
