import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startFront } from '../browser/app-front.ts'
import { appBrowser, keptIn, pressThrice } from '../browser/app-page.ts'
import { needsBrowser, visit } from '../harness/browser.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

/** What a browser says while there is no network, or no service. */
const NO_NETWORK = /ERR_(?:EMPTY_RESPONSE|CONNECTION|FAILED|ABORTED|INCOMPLETE|INTERNET)|status of (?:404|503)/

/** What the app asks of its person. */
const ME = ['/v1/sdk/me', '/v1/sdk/me/app-devices'] as const

suite('the app in the box, on the real service', needsBrowser, () => {
  const { browser } = appBrowser()

  test('invited, pressed without a network, killed, told, helped, ended: one alarm', async (t) => {
    const site = await startProcessSite(t, {
      settings: { 'grace-seconds': 1 },
      env: { TOCSIN_PUBLIC_URL: 'https://sos.example.org' },
    })
    await site.tocsin('app', 'update', site.appId, '--web-app', 'on', '--country', 'AT', '--emergency-number', '140')
    const { link: invitation } = await site.tocsin('user', 'invite', site.appId)
    const front = await startFront(t, { service: () => site.http })
    const { page: first } = await visit(t, browser(), { expected: NO_NETWORK })
    await first.goto(front.url + new URL(invitation).pathname + new URL(invitation).hash)
    await first.getByRole('button', { name: 'Set up this phone' }).click()
    await first.getByLabel('Your name').fill('Mia Moser')
    await first.getByRole('button', { name: 'Next' }).click()
    await first.getByText('Step 2 of 4').waitFor()
    await first.getByLabel('Name').fill('Ana')
    await first.getByLabel('Phone number').fill('0660 1110010')
    await first.getByRole('button', { name: 'Add' }).click()
    await first.getByText('+436601110010').waitFor()
    await first.getByRole('button', { name: 'Next' }).click()
    await first.getByRole('button', { name: 'Later' }).click()
    await first.getByRole('button', { name: 'Later' }).click()
    await first.getByText('Hold for 2 seconds').last().waitFor()
    await until('it opens without a network', () =>
      first.evaluate<boolean>('navigator.serviceWorker.controller !== null'),
    )

    front.isDown = true
    await pressThrice(first)
    await first.getByRole('heading', { name: 'NOT on the server yet' }).waitFor()
    assert.equal(await first.getByRole('link', { name: 'Call 140' }).getAttribute('href'), 'tel:140')
    // The app is closed, and the service killed.
    const page = await first.context().newPage()
    await first.close()
    await site.kill()
    await page.goto(`${front.url}/app/`)
    const says = (text: string | RegExp): Promise<void> => page.locator('.headline').filter({ hasText: text }).waitFor()
    await says('NOT on the server yet')
    await site.start()
    front.isDown = false
    await page.evaluate("dispatchEvent(new Event('online'))")
    await says(/^On the server/)
    await page.getByText('Ana was sent an SMS').waitFor()
    await site.kill()
    await site.start()

    const sent = await site.look((store) => store.outbox({ incidentId: null }))
    const [link] = /\/t\/[\w-]+/.exec(sent.map(({ text }) => text).join(' ')) ?? []
    assert.ok(link !== undefined)
    const { page: contact } = await visit(t, browser(), { expected: NO_NETWORK })
    await contact.goto(site.http + link)
    await contact.getByRole('button', { name: '10 min' }).click()
    await says('Ana is coming, 10 min')
    await page.getByRole('button', { name: 'I’m fine' }).click()
    await page.getByRole('button', { name: 'Yes, end it' }).click()
    await says('The alarm is over')

    const incidents = await site.tocsin('incident', 'list')
    assert.deepEqual(
      incidents.map(({ status }: { status: string }) => status),
      ['resolved'],
    )
    const { credential } = await keptIn(page, 'enrolment')
    assert.match(credential, /^dev_/)
    assert.ok(!site.output.includes(credential) && !site.output.includes(new URL(invitation).hash.slice(1)))
  })

  test('a further phone is added with a code, shown on the first one, and signed out by it', async (t) => {
    const site = await startProcessSite(t, { env: { TOCSIN_PUBLIC_URL: 'https://sos.example.org' } })
    await site.tocsin('app', 'update', site.appId, '--web-app', 'on', '--country', 'AT')
    const { link } = await site.tocsin('user', 'invite', site.appId)
    const front = await startFront(t, { service: () => site.http })
    const joins = async (invitation: string, steps: number) => {
      const { page } = await visit(t, browser(), { expected: /status of (?:401|404)|ERR_(?:INCOMPLETE|ABORTED|EMPTY)/ })
      const { pathname, hash } = new URL(invitation)
      await page.goto(front.url + pathname + hash)
      const isFurther = steps === 2
      const begin = page.getByRole('button', { name: 'Set up this phone' })
      await begin.waitFor()
      // Whoever gets such a link from somebody else must not become that person unawares.
      assert.equal((await page.getByText('Go on only if that is you').count()) === 1, isFurther)
      await begin.click()
      for (let step = 5 - steps; step <= 4; step += 1) {
        await page.getByText(`Step ${step} of 4`).waitFor()
        await page.getByRole('button', { name: 'Later' }).click()
      }
      await page.getByText('Connection checked').waitFor()
      return page
    }
    const first = await joins(link, 4)
    await until('its phones are known', async () => (await keptIn(first, 'phones'))?.length === 1)
    await first.getByRole('link', { name: 'More' }).click()
    await first.getByRole('button', { name: 'Add another phone' }).click()
    const code = first.locator('.qr')
    await code.waitFor()
    const second = await joins((await code.getAttribute('alt'))!, 2)
    const heading = { name: 'no longer registered' }

    await first.goto(`${front.url}/app/#/`)
    front.asked.length = 0
    await first.reload()
    await first.getByText('A further phone can raise an alarm').waitFor()
    // As many as the bench opens the app with (bench/load/apps-process.ts), and a look for a new worker.
    const opening = [`/v1/app/applications/${site.appId}`, '/v1/sdk/events', ...ME, '/v1/sdk/sos']
    const asked = new Set(front.asked.filter((path) => path.startsWith('/v1/')))
    assert.deepEqual([...asked].toSorted(), opening.toSorted())
    await first.getByRole('link', { name: 'Your phones' }).click()
    const other = first.getByRole('listitem').filter({ hasText: 'new' })
    await other.getByRole('button', { name: 'Remove' }).click()
    await first.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await until('the list has one', async () => (await first.getByText('last used').count()) === 1)
    await second.reload()
    await second.getByRole('heading', heading).waitFor()

    await first.getByRole('button', { name: 'Erase me' }).click()
    await first.getByRole('dialog').getByRole('button', { name: 'Erase me' }).click()
    await first.getByText('You will be erased').waitFor()
    await first.getByRole('button', { name: 'Undo' }).click()
    await first.getByRole('button', { name: 'Erase me' }).waitFor()
    assert.equal(await first.getByText('You will be erased').count(), 0)
  })
})
