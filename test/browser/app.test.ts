import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createPairingCodes } from '../../src/adapters/platform/system/pairing-codes.ts'
import { accessibilityProblems, contrastProblems, needsBrowser } from '../harness/browser.ts'
import { signedIn } from '../harness/signed-in.ts'
import { until } from '../harness/wait.ts'
import { appBrowser, CUT, keptIn, openApp, pressThrice } from './app-page.ts'

const headline = (page: Page) => page.locator('.headline')
const says = (page: Page, text: string | RegExp): Promise<unknown> => headline(page).filter({ hasText: text }).waitFor()

suite('the app in the box', needsBrowser, () => {
  const { browser } = appBrowser()

  test('an invitation whose answer is lost is one enrolment, and leaves the address', async (t) => {
    const { page, front } = await openApp(t, browser())
    const begin = page.getByRole('button', { name: 'Set up this phone' })
    await begin.waitFor()
    assert.equal(page.url(), `${front.url}/app/`)
    // Browsers ask once more by themselves.
    front.losesAnswers = 9
    await begin.click()
    await page.getByText('No connection').waitFor()
    front.losesAnswers = 0
    await page.reload()
    await begin.click()
    await page.getByText('Step 1 of 4').waitFor()
    assert.ok(front.keys.length >= 2)
    assert.equal(new Set(front.keys).size, 1)
    assert.match(front.keys[0]!, /^[\w-]{22}$/)
    assert.equal(await keptIn(page, 'joining'), null)
    // Closed in the middle, it goes on where it was.
    await page.getByLabel('Your name').fill('Mia M.')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Step 2 of 4').waitFor()
    await page.goto('about:blank')
    await page.goto(`${front.url}/app/`)
    await page.getByText('Step 2 of 4').waitFor()
  })

  test('an invitation that is unknown says so, and one on a phone that is set up replaces nothing unasked', async (t) => {
    const { page, front } = await openApp(t, browser(), { setUp: null })
    await page.goto(`${front.url}/app/join#inv_${'b'.repeat(32)}`)
    await page.getByText('is set up already').waitFor()
    // Anybody can send a link: the button stays, also after a restart and without a network.
    await page.getByRole('button', { name: /^SOS/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: /^SOS/ }).waitFor()
    await page.getByRole('button', { name: 'Replace it' }).click()
    await page.getByText('used, over or unknown').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: /^SOS/ }).waitFor()
    assert.equal(await page.getByText('is set up already').count(), 0)
    await page.goto('about:blank')
    await page.route('**/v1/app/invitations/look', (route) => route.abort())
    await page.goto(`${front.url}/app/join#inv_${'a'.repeat(32)}`)
    await page.getByRole('button', { name: 'Replace it' }).click()
    await page.getByText('No connection. Nothing was saved').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: /^SOS/ }).waitFor()
    assert.deepEqual(front.keys, [])
  })

  test('the whole set-up, to the practice that alarms nobody', async (t) => {
    const { page, user, site } = await openApp(t, browser(), {
      context: { geolocation: { latitude: 47, longitude: 12 } },
      expected: /status of 429/,
    })
    // Strangers have used up the codes to this number.
    const limit = { status: 429, headers: { 'retry-after': '3600' }, json: {} }
    await page.route('**/v1/sdk/me/phone/code', (route) => route.fulfill(limit), { times: 1 })
    await page.getByRole('button', { name: 'Set up this phone' }).click()
    await page.getByLabel('Your name').fill('Mia Moser')
    await page.getByLabel('Your phone number').fill('0664 1234567')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('not proved yet').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    const sent = await until('the code is sent', async () => {
      const texts = await site.service.store.outbox({ incidentId: null })
      return texts.find(({ to }) => to === '+436641234567')?.text
    })
    await page.getByLabel('Code from the SMS').fill(/\d{6}/.exec(sent)![0])
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Step 2 of 4').waitFor()
    await page.getByLabel('Name').fill('Ana')
    await page.getByLabel('Phone number').fill('not a number')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('with its country code').waitFor()
    await page.getByLabel('Phone number').fill('0660 1110010')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('has not confirmed yet').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.context().grantPermissions(['geolocation'])
    await page.getByText('Your position is allowed').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await pressThrice(page)
    await page.getByText('The server would now tell Ana. Nobody was alarmed.').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Connection checked').waitFor()
    await page.getByText('Hold for 2 seconds').last().waitFor()
    assert.equal((await user.rest('GET', '/v1/sdk/sos')).body.incident, null)
    assert.equal((await user.rest('GET', '/v1/sdk/me')).body.phone, '+436641234567')
    assert.deepEqual(
      (await user.rest('GET', '/v1/sdk/contacts')).body.map((contact: any) => contact.phone),
      ['+436601110010'],
    )
  })

  test('held for two seconds it calls for help; frantic presses take nothing back; then it can be taken back', async (t) => {
    const { page, user, site } = await openApp(t, browser(), { setUp: null, contacts: ['Ana'] })
    const button = page.getByRole('button', { name: /^SOS/ })
    await button.waitFor()
    const { x, y, width, height } = (await button.boundingBox())!
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.getByText('Keep holding').waitFor()
    await says(page, /^On the server/)
    await page.mouse.up()
    const takeBack = page.getByRole('button', { name: 'Take back' })
    for (let n = 0; n < 5; n += 1) await page.mouse.click(x + width / 2, y + height / 2)
    const { incident } = (await user.rest('GET', '/v1/sdk/sos')).body
    assert.equal(incident.status, 'active')
    await takeBack.click()
    await says(page, 'Taken back. Nobody was told.')
    await site.advance('60 s')
    assert.deepEqual(
      (await site.service.store.outbox({ incidentId: incident.incidentId })).map(({ text }) => text),
      [],
    )
    await page.getByRole('button', { name: 'Close' }).click()
    await button.waitFor()
  })

  test('on a slow network that loses an answer it says NOT until the server has it; taking back listens a moment after the third press', async (t) => {
    const { page, front, user } = await openApp(t, browser(), { setUp: null })
    await page.getByText('Connection checked').waitFor()
    const network = await page.context().newCDPSession(page)
    const slow = { offline: false, latency: 400, downloadThroughput: 2_000, uploadThroughput: 2_000 }
    await network.send('Network.emulateNetworkConditions', slow)
    front.losesAnswers = 1
    await pressThrice(page)
    const takeBack = page.getByRole('button', { name: 'Take back' })
    await takeBack.waitFor()
    assert.equal(await takeBack.isDisabled(), true)
    assert.match((await headline(page).textContent())!, /^NOT on the server yet/)
    await until('it listens', () => takeBack.isEnabled())
    await says(page, /^On the server/)
    assert.equal((await user.rest('GET', '/v1/sdk/sos/history')).body.items.length, 1)
  })

  test('a silent alarm shows nothing, asks for nothing and moves nothing; held again, the name shows it', async (t) => {
    const { page, user } = await openApp(t, browser(), {
      setUp: null,
      contacts: ['Ana'],
      before: (page) =>
        page.addInitScript(`
          globalThis.seen = []
          // A storage that answers after the browser has let this page send.
          const { getAll } = IDBObjectStore.prototype
          IDBObjectStore.prototype.getAll = function () {
            const asked = getAll.call(this)
            return {
              get result() { return asked.result },
              set onsuccess(then) { asked.onsuccess = () => setTimeout(then, 200) },
              set onerror(then) { asked.onerror = then },
            }
          }
          navigator.vibrate = () => seen.push('vibrate')
          navigator.geolocation.getCurrentPosition = (_, no) => { seen.push('position'); no({ code: 2 }) }
          navigator.wakeLock.request = async () => { seen.push('wake lock'); throw new Error() }
        `),
    })
    const name = page.getByRole('button', { name: 'Hut' })
    const hold = async (): Promise<void> => {
      await name.hover()
      await page.mouse.down()
      await page.waitForTimeout(3_200)
      await page.mouse.up()
    }
    await page.getByText('Connection checked').waitFor()
    const before = await page.locator('main').innerHTML()
    await hold()
    await page.getByText(/^Saved \d/).waitFor()
    assert.equal(await page.locator('main').innerHTML(), before)
    assert.equal((await user.rest('GET', '/v1/sdk/sos')).body.incident.silent, true)
    // Killed and opened again, nothing betrays it.
    await page.reload()
    await page.getByText(/^Saved \d/).waitFor()
    assert.equal(await headline(page).count(), 0)
    await hold()
    await says(page, /^On the server/)
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByText(/^Saved \d/).waitFor()
    await hold()
    await page.getByRole('button', { name: 'I’m fine' }).click()
    await page.getByRole('button', { name: 'Yes, end it' }).click()
    await says(page, /Taken back|You have ended/)
    assert.deepEqual(await page.evaluate('seen'), [])
  })

  test('a phone that is no longer registered says that an alarm would reach nobody', async (t) => {
    const { page, site } = await openApp(t, browser(), { setUp: null })
    await page.getByText('Connection checked').waitFor()
    await site.beside((store) => store.setUserDisabled(site.user.account.appId, 'walker-1', true))
    await page.reload()
    await page.getByRole('heading', { name: 'no longer registered' }).waitFor()
    await pressThrice(page)
    await says(page, 'NOT on the server yet')
    await page.getByText('does not know this phone').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Call 112' }).first().getAttribute('href'), 'tel:112')
  })

  test('a full storage: it is sent all the same, and the screen says to leave the app open', async (t) => {
    const { page, front } = await openApp(t, browser(), { setUp: null })
    await page.getByText('Connection checked').waitFor()
    await page.evaluate(`IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }`)
    front.isDown = true
    await pressThrice(page)
    await page.getByText('Leave this app open').waitFor()
    front.isDown = false
    await page.evaluate("dispatchEvent(new Event('online'))")
    await says(page, /^On the server/)
  })

  test('where the service takes an SOS by SMS, its link is there before the press is on the server', async (t) => {
    const smsSos = { number: '+43123456', code: '4711', from: '+436641234567' }
    const { page, front } = await openApp(t, browser(), {
      setUp: null,
      before: (page) =>
        page.route('**/v1/sdk/me', async (route) => {
          const answer = await route.fetch().catch(() => null)
          if (answer === null) return route.abort()
          await route.fulfill({ response: answer, json: { ...(await answer.json()), smsSos } })
        }),
    })
    await until('it is kept', async () => (await keptIn(page, 'smsSos'))?.code === '4711')
    const link = page.getByRole('link', { name: 'Send an SMS instead' })
    front.isDown = true
    await pressThrice(page)
    assert.equal(await link.getAttribute('href'), 'sms:+43123456?&body=SOS%204711')
    front.isDown = false
    await page.evaluate("dispatchEvent(new Event('online'))")
    await says(page, /^On the server/)
    assert.equal(await link.count(), 0)
  })

  test('a clock three hours ahead shows and sends the true time', async (t) => {
    const { page, user } = await openApp(t, browser(), {
      setUp: null,
      before: (page) =>
        page.addInitScript(`
          const { now } = Date
          Date = class extends Date { constructor(...given) { super(...(given.length > 0 ? given : [Date.now()])) } }
          Date.now = () => now() + 3 * 3_600_000
        `),
    })
    await page.getByText('Connection checked').waitFor()
    await pressThrice(page)
    await says(page, /^On the server/)
    const { occurredAt } = (await user.rest('GET', '/v1/sdk/sos')).body.incident
    assert.ok(Math.abs(Date.parse(occurredAt) - Date.now()) < 60_000, occurredAt)
  })

  test('an alarm of another phone shows here with its talk, and no position goes out before the person says so', async (t) => {
    const { page, user, site, front } = await openApp(t, browser(), {
      setUp: null,
      contacts: ['<img src=x onerror=alert(1)>'],
      context: { geolocation: { latitude: 47.0638, longitude: 12.6921 }, permissions: ['geolocation'] },
    })
    await page.getByText('Connection checked').waitFor()
    const incident = async () => (await user.rest('GET', '/v1/sdk/sos')).body.incident
    const eva = await signedIn(site, 'Eva')
    await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    await says(page, /^On the server/)
    await page.getByText('raised elsewhere in your name').waitFor()
    await page.getByText('<img src=x onerror=alert(1)> is told next').waitFor()
    assert.equal((await incident()).lastPosition, null)
    await page.getByRole('button', { name: 'Send my position' }).click()
    await until('it is sent', async () => (await incident()).lastPosition?.latitude === 47.0638)

    // Written and read, with the names of those who read it.
    const { incidentId } = await incident()
    const written = { id: 'from-the-desk', text: '<b>Stay</b> where you are' }
    assert.equal((await eva.ask('POST', `/incidents/${incidentId}/messages`, written)).status, 200)
    await page.getByText('<b>Stay</b> where you are').waitFor()
    await page.getByText('Rescue desk: Eva').waitFor()
    await page.getByRole('button', { name: 'Write a message' }).click()
    await page.getByText('It is read by Eva (rescue desk).').waitFor()
    front.losesAnswers = 1
    await page.getByRole('button', { name: 'There are two of us' }).click()
    await page.locator('.talk ol').getByText('There are two of us').waitFor()
    await page.getByLabel('Rescue desk only').check()
    await page.getByText('Only the rescue desk reads it: Eva.').waitFor()
    await page.getByLabel('Your message').fill('I’m fine now')
    await page.getByRole('button', { name: 'Send message' }).click()
    await page.getByText('Nobody else has confirmed it.').waitFor()
    const { items } = (await user.rest('GET', '/v1/sdk/sos/messages')).body
    assert.deepEqual(
      items.map(({ to, quickReply, text }: any) => [to, quickReply ?? text]),
      [
        ['all', written.text],
        ['all', 'two_of_us'],
        ['desk', 'I’m fine now'],
      ],
    )
    // Who leaves the desk is gone at once, and what was for the desk alone stays so.
    assert.equal((await eva.ask('DELETE', '/session')).status, 204)
    await page.getByText('Nobody is at the rescue desk right now.').waitFor()
    // Opened again, it is there again.
    await page.reload()
    await page.getByText('rescue desk only').waitFor()
    // Ended here, by its incident.
    await page.getByRole('button', { name: 'I’m fine' }).click()
    await page.getByRole('button', { name: 'Yes, end it' }).click()
    await says(page, /Taken back|You have ended/)
    assert.equal(await page.locator('.talk').count(), 0)
    assert.equal(await incident(), null)
    // As a screen reader presses.
    await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    const again = page.getByRole('button', { name: /^SOS again/ })
    for (let n = 0; n < 3; n += 1) await again.dispatchEvent('click')
    await page.getByRole('button', { name: 'Take back' }).waitFor()
  })

  test('a phone that somebody adds is shown on the others, until the person has looked', async (t) => {
    const phone = (id: string, name: string, isThis = false) => ({
      ...{
        id,
        name,
        isThis,
        enrolledAt: '2026-03-01T12:00:00Z',
        lastUsedAt: null,
        removedFrom: null,
        leavesAtOnce: false,
      },
    })
    const devices = [phone('this', 'My phone', true)]
    const { page } = await openApp(t, browser(), {
      setUp: null,
      before: (page) => page.route('**/v1/sdk/me/app-devices', (route) => route.fulfill({ json: { devices } })),
    })
    await page.getByText('Connection checked').waitFor()
    await until('the list is known', async () => (await keptIn(page, 'phones'))?.length === 1)
    devices.push(phone('other', 'Pixel <b>'))
    await page.reload()
    await page.getByText(/^A further phone can raise an alarm in your name \(added .*12:00.*\)/).waitFor()
    assert.equal(await page.getByText('Pixel').count(), 0, 'whoever added it has named it')
    await page.getByRole('link', { name: 'Your phones' }).click()
    await page.getByText('new', { exact: true }).waitFor()
    await page.getByText('Pixel <b>', { exact: true }).waitFor()
    await page.getByText(/^added .*12:00.*\. It gave itself this name\.$/).waitFor()
    await until('it is known', async () => (await keptIn(page, 'phones'))?.length === 2)
    await page.goto(page.url().replace(/#.*/, '#/'))
    await page.reload()
    await page.getByText('Connection checked').waitFor()
    await until('it was asked', async () => (await keptIn(page, 'phones'))?.length === 2)
    assert.equal(await page.getByText('A further phone').count(), 0)
  })

  test('news are switched on, shown whole and switched off; a subscription that has ended is renewed', async (t) => {
    const own: { publicKey: string; subscription: any } = { publicKey: 'BAEC', subscription: null }
    const puts: any[] = []
    const { page } = await openApp(t, browser(), {
      setUp: null,
      before: async (page) => {
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
        await page.route('**/v1/sdk/me/push', async (route) => {
          if (route.request().method() === 'DELETE') {
            own.subscription = null
            return route.fulfill({ status: 204 })
          }
          if (route.request().method() === 'PUT') {
            puts.push(route.request().postDataJSON())
            own.subscription = { wholeText: puts.at(-1).wholeText, failedAt: null }
          }
          return route.fulfill({ json: own })
        })
      },
    })
    await page.getByRole('link', { name: 'Ready?' }).click()
    await page.getByText('this phone does not hear that somebody answers').waitFor()
    await page.getByRole('button', { name: 'Switch news on' }).click()
    await page.getByText('The screen only says that there is news').waitFor()
    await page.getByRole('button', { name: 'Show the whole text' }).click()
    await page.getByText('with the whole text on the screen').waitFor()
    assert.deepEqual(await accessibilityProblems(page), [])
    const asked = { endpoint: 'https://push.test/1', keys: { p256dh: 'p', auth: 'a' }, language: 'en' }
    assert.deepEqual(puts, [
      { ...asked, wholeText: false },
      { ...asked, wholeText: true },
    ])
    // Its push service has ended it meanwhile.
    own.subscription = null
    await page.reload()
    await until('it is renewed', () => puts.length === 3)
    own.subscription.failedAt = '2026-03-01T12:00:00Z'
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('The last message did not leave').waitFor()
    await page.getByRole('button', { name: 'Switch news off' }).click()
    await page.getByText('this phone does not hear that somebody answers').waitFor()
    assert.equal(await keptIn(page, 'news'), null)
    assert.equal(await page.evaluate('localStorage.endpoint'), undefined)
  })

  test('a contact is changed, the card written, a tracker paired, and a copy saved without positions; without https it says so', async (t) => {
    const { page, site, user, front } = await openApp(t, browser(), {
      setUp: null,
      contacts: ['Ana', 'Ana'],
      expected: /status of 400/,
      before: (page) => page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })"),
    })
    await page.getByText('This address has no https').waitFor()
    const position = { latitude: 47.0638, longitude: 12.6921 }
    await page.getByText('Connection checked').waitFor()
    await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString(), ...position })
    await says(page, /^On the server/)
    await user.rest('POST', '/v1/sdk/sos/cancel')
    await page.getByRole('button', { name: 'Close' }).click()
    const hardware = [{ hardwareId: 'tracker-7', codeHash: await createPairingCodes().hash('4711'), model: 'Tag' }]
    await site.beside((store) => store.registerHardware(site.user.account.appId, hardware, Date.now()))

    await page.goto(`${front.url}/app/#/contacts`)
    await page
      .getByRole('button', { name: /^Change.*Ana$/ })
      .last()
      .click()
    const form = page.getByRole('listitem').filter({ hasText: '+436601110011' })
    await form.getByLabel('Name').fill('Ana Berger')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Ana Berger', { exact: true }).waitFor()
    const { body: contacts } = await user.rest('GET', '/v1/sdk/contacts')
    assert.deepEqual(
      contacts.map(({ name }: { name: string }) => name),
      ['Ana', 'Ana Berger'],
    )

    await page.goto(`${front.url}/app/#/more`)
    await page.getByRole('button', { name: 'Write your card' }).click()
    await page.getByText('A contact sees it only if you tick them').waitFor()
    for (const language of ['de', 'en', 'fr'])
      await page.getByLabel('Languages you speak').selectOption({ value: language })
    await page.getByRole('button', { name: /^French/ }).click()
    await page.getByLabel('Hearing').selectOption('hard of hearing')
    await page.getByLabel('Year of birth').fill('1961')
    await page.getByLabel('What else').fill('Insulin in the red bag.')
    await page.getByLabel('Ana Berger').check()
    assert.deepEqual(await accessibilityProblems(page), [])
    if (process.env.SHOT) await page.setViewportSize({ width: 390, height: 800 })
    if (process.env.SHOT) await page.screenshot({ path: '/tmp/card.png', fullPage: true })
    await page.getByRole('button', { name: 'Save' }).click()
    const { body: card } = await until('the card is kept', async () => {
      const read = await user.rest('GET', '/v1/sdk/me/card')
      return read.body.updatedAt === null ? undefined : read
    })
    const { languages, hearing, yearOfBirth, vehicle, contactIds } = card
    assert.deepEqual([languages, hearing, yearOfBirth, vehicle], [['de', 'en'], 'hard_of_hearing', 1961, null])
    assert.deepEqual(contactIds, [contacts[1].id])

    const pairs = async (code: string): Promise<void> => {
      await page.getByLabel('Number of the tracker').fill('tracker-7')
      await page.getByLabel('Pairing code').fill(code)
      await page.getByRole('button', { name: 'Add the tracker' }).click()
    }
    await pairs('4712')
    await page.getByText('do not go together').waitFor()
    await pairs('4711')
    await page.getByText('An SOS from this tracker').waitFor()
    await page.getByText('Tag tracker-7').waitFor()

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save what is stored' }).click(),
    ])
    const text = await readFile(await saved.path(), 'utf8')
    const copy = JSON.parse(text)
    assert.deepEqual([copy.profile.name, copy.contacts.length, copy.trackers.length], ['Mia Moser', 2, 1])
    assert.equal(copy.card.note, 'Insulin in the red bag.')
    assert.deepEqual([copy.alarms.length, copy.alarms[0].status], [1, 'cancelled'])
    assert.doesNotMatch(text, /latitude|47\.06|positionTrail|creationTelemetry|smsSos|credential/)
    assert.ok(!text.includes(user.hash))
  })

  test('the page of the local CA is readable on a small phone', async (t) => {
    const { page, front } = await openApp(t, browser(), {
      setUp: null,
      context: { viewport: { width: 320, height: 640 } },
    })
    await page.goto(`${front.url}/trust`)
    assert.deepEqual(await accessibilityProblems(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  })

  test('a browser that keeps nothing says so, and sends all the same', async (t) => {
    const { page, front } = await openApp(t, browser(), {
      before: (page) =>
        page.addInitScript(`IDBFactory.prototype.open = () => { throw new DOMException('private', 'SecurityError') }`),
    })
    await page.getByRole('button', { name: 'Set up this phone' }).click()
    await page.getByText('This browser stores nothing').waitFor()
    assert.equal(front.keys.length, 1)
  })

  for (const [width, colorScheme] of [
    [320, 'dark'],
    [390, 'light'],
    [1280, 'light'],
  ] as const) {
    test(`every screen fits ${width} px and is accessible (${colorScheme})`, async (t) => {
      const { page, front } = await openApp(t, browser(), {
        setUp: null,
        contacts: ['Ana', 'Georg'],
        context: { viewport: { width, height: 700 }, colorScheme },
      })
      const looks = async (what: string): Promise<void> => {
        assert.deepEqual(await accessibilityProblems(page), [], what)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, what)
      }
      for (const [view, text] of [
        ['', 'Hold for 2 seconds'],
        ['timers', 'I’ll be back by'],
        ['contacts', 'has not confirmed yet'],
        ['ready', 'Ask Ana to confirm'],
        ['more', 'Each of these can raise an alarm'],
      ] as const) {
        await page.goto(`${front.url}/app/#/${view}`)
        await page.getByText(text).last().waitFor()
        await looks(view)
      }
      await page.goto('about:blank')
      await page.goto(`${front.url}/app/join#inv_${'b'.repeat(32)}`)
      await page.getByText('is set up already').waitFor()
      await looks('an opened invitation')
      await page.getByRole('button', { name: 'Back' }).click()
      front.isDown = true
      await pressThrice(page)
      await says(page, 'NOT on the server yet')
      await looks('not on the server')
      front.isDown = false
      await says(page, /^On the server/)
      await looks('on the server')
      // It can no longer be taken back.
      await page.reload()
      await page.getByRole('button', { name: 'Write a message' }).click()
      await page.getByRole('button', { name: 'Yes', exact: true }).click()
      await page.locator('.talk ol').getByText('Yes').waitFor()
      await looks('messages')
      await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' })
      assert.deepEqual(await contrastProblems(page), [])
    })
  }

  test('in no language a word is cut or a screen too wide', async (t) => {
    const { page, front, user } = await openApp(t, browser(), {
      setUp: null,
      contacts: ['Ana'],
      context: { viewport: { width: 320, height: 640 } },
    })
    // Beside the button, in each language.
    await page.goto(`${front.url}/app/join#inv_${'b'.repeat(32)}`)
    for (const language of ['de', 'fr', 'it', 'es']) {
      for (const view of ['more', 'timers', 'contacts', 'ready', '']) {
        await page.goto(`${front.url}/app/#/${view}`)
        if (view === 'more') await page.locator('select').selectOption(language)
        await until('the language shows', () => page.evaluate(`document.documentElement.lang === '${language}'`))
        assert.deepEqual(await page.evaluate(CUT), [], `${language} ${view}`)
        if (view !== 'more') continue
        await page
          .locator('section', { has: page.locator('h2') })
          .nth(1)
          .getByRole('button')
          .click()
        await page.locator('fieldset').waitFor()
        assert.deepEqual(await page.evaluate(CUT), [], `${language} card`)
      }
    }
    await user.rest('POST', '/v1/sdk/sos', { timestamp: new Date().toISOString() })
    await user.rest('POST', '/v1/sdk/sos/messages', { id: 'a-message', quickReply: 'cannot_move', to: 'desk' })
    for (const language of ['de', 'fr', 'it', 'es']) {
      await page.evaluate(`localStorage.setItem('tocsin.app.language', '${language}')`)
      await page.reload()
      await page.locator('.talk > button').click()
      await page.locator('.replies').waitFor()
      assert.deepEqual(await page.evaluate(CUT), [], `${language} talk`)
    }
  })
})
