import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { inviteToApp } from '../../src/app/operator/app-invitations.ts'
import { addOperator } from '../../src/app/operator/operators.ts'
import { NO_WEB_APP } from '../../src/core/account/web-app.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { bytesOfBase32, stepAt, totpCode } from '../../src/core/operator/totp.ts'
import { ensureApp, ensureConsole } from '../../src/service/console.ts'
import { de } from '../../webapp/texts/de.ts'
import { en } from '../../webapp/texts/en.ts'
import { es } from '../../webapp/texts/es.ts'
import { fr } from '../../webapp/texts/fr.ts'
import { it } from '../../webapp/texts/it.ts'
import { skipWithout } from '../fixtures/requires.ts'
import { endAll } from '../harness/last-first.ts'
import { type Site, startSite } from '../harness/site.ts'
import { otherBrowsers } from '../harness/webdriver/browsers.ts'
import type { Driven } from '../harness/webdriver/driven.ts'
import { CUT } from './app-page.ts'

const PASSWORD = 'three wet marmots'
const ids = createIds()
const all = { en, de, fr, it, es }
type Language = keyof typeof all

/** Opens a view of the app in a language, and resolves with what does not fit once it is there. */
const doesNotFit = (view: string, language: Language): string => `(async () => {
  const until = async (is) => {
    while (!is()) await new Promise((drawn) => requestAnimationFrame(drawn))
  }
  const text = () => document.body.innerText
  location.hash = '#/${view}'
  if ('${view}' === 'more') {
    await until(() => document.querySelector('select') !== null)
    const select = document.querySelector('select')
    select.value = '${language}'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }
  await until(() => text().includes(${JSON.stringify(shownIn(view, language))}))
  await until(() => !text().includes(${JSON.stringify(all[language].loading)}))
  return ${CUT}
})()`
const shownIn = (view: string, language: Language): string => {
  const { sos, devices, timers, contacts, ready } = all[language]
  return { more: devices.title, timers: timers.title, contacts: contacts.title, ready: ready.title }[view] ?? sos.how
}

suite('app, tracking page and console in the other browsers, on the real service', () => {
  let site: Site
  const ends: (() => unknown)[] = []
  before(async () => {
    if (!otherBrowsers.some(({ isThere }) => isThere)) return
    const warn = (_: unknown, text: string): void => assert.fail(text)
    await Promise.all([
      ensureApp({ warn }, AbortSignal.timeout(60_000)),
      ensureConsole({ warn }, AbortSignal.timeout(60_000)),
    ])
    const config = { https: { host: '127.0.0.1', port: 0 } }
    site = await startSite({ after: (end) => ends.push(end) }, { now: Date.now(), config })
    await site.service.store.updateApplication(site.user.account.appId, {
      webApp: { ...NO_WEB_APP, isOn: true, country: 'AT', emergencyNumber: '140' },
    })
  })
  after(() => endAll(ends))

  const by = () => ({ actor: COMMAND, address: null, now: site.clock.now() })
  const https = () => site.service.listeners.https!

  /** Set up by invitation, as far as the button. */
  async function enrols(page: Driven, contact: string): Promise<void> {
    const inviting = { appId: site.user.account.appId, kind: 'person', user: null, places: 1, label: null } as const
    const invited = await inviteToApp({ store: site.service.store, ids }, inviting, by())
    assert.ok('secret' in invited)
    await page.open(`${https()}/app/join#${invited.secret}`)
    await page.press('Set up this phone')
    await page.seen('Step 1 of 4')
    await page.type('Your name', 'Mia Moser')
    await page.press('Next')
    await page.seen('Step 2 of 4')
    await page.type('Name', 'Ana')
    await page.type('Phone number', contact)
    await page.press('Add')
    await page.seen('has not confirmed yet')
    await page.press('Next')
    for (const step of [3, 4]) {
      await page.seen(`Step ${step} of 4`)
      await page.press('Later')
    }
    await page.seen('Connection checked')
  }

  /** Signs in as a new operator, as far as the board. */
  async function signsIn(page: Driven, login: string): Promise<void> {
    const grant = { role: 'operator', applications: null } as const
    const added = await addOperator({ store: site.service.store, ids }, { login, name: 'Eva Night', ...grant }, by())
    assert.ok('invited' in added)
    await page.open(`${https()}/console/#invitation=${added.invited.secret}`)
    await page.type(/^Choose a password/, PASSWORD)
    await page.seen('The six digits')
    const secret = await page.evaluate<string>("document.querySelector('.second code').textContent.replaceAll(' ', '')")
    await page.type(/^The six digits/, totpCode(bytesOfBase32(secret), stepAt(site.clock.now())))
    await page.press('Set up and sign in')
    await page.press('I have saved them')
    await page.seen('Live')
  }

  async function setsTimer(page: Driven): Promise<void> {
    await page.press('Back by')
    await page.type(/^Back by/, '23:55')
    await page.type('Where are you going?', 'Grossglockner')
    await page.press('Start')
    await page.seen('30 minutes more')
    await page.press('I’m back')
    await page.seen('None is running.')
  }

  async function fitsInEveryLanguage(page: Driven): Promise<void> {
    for (const language of ['de', 'fr', 'it', 'es', 'en'] as const)
      for (const view of ['more', 'timers', 'contacts', 'ready', ''])
        assert.deepEqual(await page.evaluate(doesNotFit(view, language)), [], `${language} ${view}`)
  }

  for (const [at, { name, needs, isThere, start }] of otherBrowsers.entries()) {
    test(`${name}: enrolled, pressed, answered, taken, ended`, async (t) => {
      if (skipWithout(t, needs, isThere)) return
      const page = await start()
      t.after(() => page.close())
      const number = `+43660111001${at}`
      await page.resize(320, 640)
      assert.equal(await page.evaluate('innerWidth'), 320)
      await enrols(page, number)
      await setsTimer(page)
      await fitsInEveryLanguage(page)
      await page.hold(/^SOS/, () => page.seen(/On the server \d/))
      await page.press('Take back')
      await page.seen('Taken back. Nobody was told.')
      await page.press('Close')
      for (let n = 0; n < 3; n += 1) await page.press(/^SOS/)
      await page.seen(/On the server \d/)
      await site.advance('15 s')
      await page.seen('Ana was sent an SMS')
      assert.deepEqual(await page.evaluate(CUT), [])

      const sent = await site.service.store.outbox({ incidentId: null })
      const [link] = sent.flatMap(({ to, text }) => (to === number ? (/\/t\/[\w-]+/.exec(text) ?? []) : []))
      await page.open(https() + link)
      await page.seen('Mia Moser')
      await page.press(/^I'm coming, in 10/)
      await page.seen('Your answer: you are coming')
      await page.open(`${https()}/app/`)
      await page.seen('Ana is coming, 10 min')

      await page.resize(1280, 800)
      await signsIn(page, name.toLowerCase())
      await page.press(/Mia Moser/)
      await page.seen('What happens next')
      await page.press('I’ll take it')
      await page.seen('Eva Night has taken it')
      await page.type('New note', 'Helicopter called')
      await page.press('Add note')
      await page.seen(/Helicopter called .*Eva Night|Eva Night.*Helicopter called/)
      await page.press('End the alarm')
      await page.press('End the alarm')
      await page.seen('by an operator (Eva Night)')
      await page.open(`${https()}/app/`)
      await page.seen('The alarm is over')
      assert.deepEqual(page.trouble, [])
    })
  }
})
