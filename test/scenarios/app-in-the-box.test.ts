import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { WebApp } from '../../src/ports/web-apps.ts'
import { INVITATION, startFront } from '../browser/app-front.ts'
import { appBrowser, pressThrice } from '../browser/app-page.ts'
import { needsBrowser, visit } from '../harness/browser.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { until } from '../harness/wait.ts'

/** What a browser says while there is no network, or no service. */
const NO_NETWORK = /ERR_(?:EMPTY_RESPONSE|CONNECTION|FAILED|ABORTED|INCOMPLETE|INTERNET)|status of (?:404|503)/

suite('the app in the box, on the real service', needsBrowser, () => {
  const { browser } = appBrowser()

  test('invited, pressed without a network, killed, told, helped, ended: one alarm', async (t) => {
    const site = await startProcessSite(t, {
      settings: { 'grace-seconds': 1 },
      env: { TOCSIN_PUBLIC_URL: 'https://sos.example.org' },
    })
    const person = await site.user('walker-1')
    const app: WebApp = {
      id: site.appId,
      name: 'Hut',
      colour: '#0b57c2',
      emergencyNumber: '140',
      country: 'AT',
      smsNumber: null,
    }
    const enrolled = { userId: 'walker-1', credential: person.hash }
    const front = await startFront(t, { service: () => site.http, app, enrolled })
    const { page: first } = await visit(t, browser(), { expected: NO_NETWORK })
    await first.goto(`${front.url}/app/join#${INVITATION}`)
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
    await says('On the server')
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

    const { body } = await site.phone('walker-1').rest('GET', '/v1/sdk/sos/history')
    assert.deepEqual(
      body.items.map(({ status }: { status: string }) => status),
      ['resolved'],
    )
  })
})
