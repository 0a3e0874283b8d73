import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { addOperator } from '../../src/app/operator/operators.ts'
import { addApiToken } from '../../src/app/operator/tokens.ts'
import { NO_WEB_APP } from '../../src/core/account/web-app.ts'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import type { Role } from '../../src/core/operator/role.ts'
import { DAY, MINUTE } from '../../src/lib/durations.ts'
import { openBrowser } from '../harness/browser.ts'
import { endAll } from '../harness/last-first.ts'
import { firstSignIn } from '../harness/operator-browser.ts'
import { type Site, startSite } from '../harness/site.ts'
import { OVERLAYS, WAY } from './mountain.ts'

/** `bin/node test/pictures/console.ts` makes the pictures of docs/console.md and of README.md anew. */

const DIRECTORY = fileURLToPath(new URL('../../docs/console/', import.meta.url))
/** How long before the pictures the story begins. */
const STORY_MS = 34 * MINUTE
/** It is three at night on the pictures, whenever they are made: in the time zone where it is. */
const east = ((3 - new Date().getUTCHours() + 36) % 24) - 12
const timezoneId = `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`
const SCREEN: BrowserContextOptions = { viewport: { width: 1280, height: 720 }, locale: 'en-GB', timezoneId }
const PHONE: BrowserContextOptions = { ...SCREEN, viewport: { width: 390, height: 844 } }

const ends: (() => unknown)[] = []
const closes = { after: (end: () => unknown) => void ends.push(end) }

const messages: { readonly to: string; readonly text: string }[] = []

/** Takes every message but those to `dead`, as if it sent them. */
async function gateway(dead: string): Promise<string> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const message = JSON.parse(body.toString('utf8'))
      messages.push(message)
      response.writeHead(message.to === dead ? 422 : 200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const DEAD = '+436600000099'

async function startDemo(): Promise<Site> {
  const files = await mkdtemp(join(tmpdir(), 'tocsin-pictures-'))
  ends.push(() => rm(files, { recursive: true }))
  const overlays = [join(files, 'huts.geojson')]
  await writeFile(overlays[0]!, JSON.stringify(OVERLAYS))
  const config = {
    map: { overlays, attribution: 'Alpine Club' },
    notifications: { providers: ['http'], allowPrivateTargets: true },
    gateway: { url: await gateway(DEAD) },
    publicUrl: 'https://sos.example.org',
  }
  return startSite(closes, { now: Date.now() - STORY_MS, config })
}

type Person = {
  readonly id: string
  readonly name: string
  readonly contacts: readonly (readonly [name: string, phone: string])[]
  readonly at: readonly [latitude: number, longitude: number]
  readonly battery: number
}

/** `name` presses SOS now. */
async function presses(site: Site, { id, name, contacts, at, battery }: Person) {
  const user = await site.newUser(id).introduce({ name, phone: '+436601234567', address: 'Kirchgasse 4, Lienz' })
  for (const [contact, phone] of contacts) await user.rest('POST', '/v1/sdk/contacts', { name: contact, phone })
  await user.listen()
  const [latitude, longitude] = at
  const timestamp = isoAt(site.clock.now())
  await user.presses({ timestamp, latitude, longitude, altitude: 2801, accuracy: 25, mobileBattery: battery })
  return user
}

async function invited(
  site: Site,
  login: string,
  given: { readonly name: string; readonly role: Role },
): Promise<string> {
  const by = { actor: COMMAND, address: null, now: site.clock.now() }
  const added = await addOperator(
    { store: site.service.store, ids: createIds() },
    { login, ...given, applications: null },
    by,
  )
  if ('refused' in added) throw new Error(added.refused)
  return `http://localhost/#invitation=${added.invited.secret}`
}

async function opened(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  ends.push(() => context.close())
  return context.newPage()
}

async function drawn(page: Page): Promise<void> {
  await page.locator('.map path.map-land').first().waitFor({ state: 'attached' })
  await page.locator('.map .map-pin').first().waitFor()
  // Nothing moves any more.
  await page.waitForTimeout(700)
}

const save = (page: Page, name: string, options: { readonly fullPage?: boolean } = {}) =>
  page.screenshot({ path: `${DIRECTORY}${name}.png`, ...options })

/** What somebody sees who has just installed the service, two steps on. */
async function firstSteps(browser: Browser): Promise<void> {
  const site = await startSite(closes, { now: Date.now() })
  const page = await opened(browser, { ...SCREEN, viewport: { width: 800, height: 900 } })
  const link = await invited(site, 'eva', { name: 'Eva Night', role: 'admin' })
  await firstSignIn(page, site.service.listeners.http!, { link, password: 'three wet marmots' })
  await page.evaluate("location.hash = '#/start'")
  const contact = page.getByRole('region', { name: '2. Add a contact' })
  await contact.getByLabel('User').fill('tour-25')
  await contact.getByLabel('Name of the contact').fill('Benedikt Auer')
  await contact.getByLabel('Phone number').fill('+43 660 0000031')
  await contact.getByRole('button', { name: 'Add a contact', exact: true }).click()
  await contact.getByText('✓ Benedikt Auer').waitFor()
  await page.getByRole('link', { name: 'Set it up' }).waitFor()
  await page.mouse.move(0, 0)
  await save(page, 'start')
  await page.setViewportSize({ width: 1000, height: 820 })
  await page.evaluate("location.hash = '#/setup'")
  const messages = page.getByRole('region', { name: 'Where messages go' })
  await messages.getByRole('button', { name: 'Set up: Twilio' }).click()
  await messages.getByLabel('Account SID').fill('AC0123456789abcdef0123456789abcdef')
  await messages.getByLabel('Auth Token').fill('not on any picture')
  await messages.getByLabel('Number to send from').fill('+43 720 123456')
  await messages.getByLabel('Your phone number').fill('+43 660 0000031')
  await page.evaluate('scrollTo(0, 0)')
  await save(page, 'setup')
}

const GULLY = [47.1021, 12.7466] as const
const SKIERS = ['Nils Berger', 'Lara Huber', 'Jan Novák', 'Ida Kern', 'Marco Rossi', 'Sofia Lenz']

/** An avalanche: six alarms in one gully within two minutes. Operators have put them together and begin to count. */
async function majorIncident(site: Site, eva: Page): Promise<void> {
  for (const [n, name] of SKIERS.entries()) {
    const contacts = [[`Kim ${name.split(' ')[1]}`, `+43660000010${n}`]] as const
    const at = [GULLY[0] + n * 0.0006, GULLY[1] + (n % 3) * 0.0007] as const
    await presses(site, { id: `ski-${n}`, name, contacts, at, battery: 80 - 9 * n })
    await site.advance('20 s')
  }
  await eva.evaluate("location.hash = '#/'")
  const offer = eva.locator('.major-line', { hasText: `${SKIERS.length} alarms` })
  await offer.getByRole('button', { name: 'Open as one' }).click()
  await eva.getByRole('heading', { name: /^Major incident since/ }).waitFor()
  const row = (name: string) => eva.locator('.major-table tr', { hasText: name })
  for (const name of SKIERS) await row(name).waitFor()
  const dialog = eva.getByRole('dialog')
  for (const [team, names] of [
    ['Team 1', SKIERS.slice(0, 2)],
    ['Team 2', SKIERS.slice(2, 5)],
  ] as const) {
    for (const name of names) await eva.getByRole('checkbox', { name: `Choose ${name}` }).check()
    await eva.getByRole('button', { name: 'Assign', exact: true }).click()
    await dialog.getByLabel('Who looks after them').fill(team)
    await dialog.getByRole('button', { name: `Assign ${names.length}` }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  for (const [name, state] of [
    [SKIERS[0]!, 'Safe'],
    [SKIERS[1]!, 'Safe'],
    [SKIERS[2]!, 'Handed over'],
  ] as const) {
    await row(name).getByRole('button', { name: state }).click()
    await row(name).locator('[aria-pressed="true"]', { hasText: state }).waitFor()
  }
  await eva.evaluate('scrollTo(0, 0)')
  await eva.mouse.move(0, 0)
  // Nothing moves any more.
  await eva.waitForTimeout(700)
  await save(eva, 'major')
}

try {
  await mkdir(DIRECTORY, { recursive: true })
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('../../build/console.ts', import.meta.url))])
  if (status !== 0) throw new Error('the console could not be built')
  const site = await startDemo()
  await presses(site, {
    id: 'tour-17',
    name: 'Élodie Martin',
    contacts: [['Luc Martin', '+436600000011']],
    at: [47.0403, 12.6897],
    battery: 71,
  })
  await site.advance('11 min')
  await presses(site, {
    id: 'tour-21',
    name: 'Jonas Weber',
    contacts: [
      ['Ana Adler', '+436600000021'],
      ['Tom Weber', '+436600000022'],
    ],
    at: [47.031, 12.6905],
    battery: 55,
  })
  await site.advance('7 min')
  const path = messages.flatMap(({ to, text }) => (to === '+436600000021' ? (/\/t\/[\w-]+/.exec(text) ?? []) : []))[0]
  await fetch(`${site.service.listeners.http}${path}/ack?coming=30`, { method: 'POST' })
  await site.advance('5 min')
  const mia = await presses(site, {
    id: 'tour-25',
    name: 'Mia Brunner',
    contacts: [
      ['Benedikt Auer', '+436600000031'],
      ['Ana Adler', '+436600000032'],
    ],
    at: WAY[0],
    battery: 43,
  })
  for (const [latitude, longitude] of WAY) {
    await site.advance('1 min')
    await mia.moves({ timestamp: isoAt(site.clock.now()), latitude, longitude, altitude: 2903, accuracy: 60 })
  }
  await presses(site, {
    id: 'tour-26',
    name: 'Paolo Conti',
    contacts: [['Gino Conti', DEAD]],
    at: [47.0679, 12.7017],
    battery: 12,
  })
  await site.advance('2 min')
  await site.advance(`${Math.round((Date.now() - site.clock.now()) / 1000)} s`)

  const browser = await openBrowser()
  ends.push(() => browser.close())
  const url = site.service.listeners.http!
  const eva = await opened(browser, SCREEN)
  await firstSignIn(eva, url, {
    link: await invited(site, 'eva', { name: 'Eva Night', role: 'admin' }),
    password: 'three wet marmots',
  })
  await eva.getByRole('button', { name: 'Sound off' }).click()
  await eva.getByRole('link', { name: /Élodie Martin/ }).click()
  await eva.getByRole('button', { name: 'I’ll take it' }).click()
  await eva.getByText('Eva Night has taken it').waitFor()
  await eva.getByRole('link', { name: /Back to the board/ }).click()
  await drawn(eva)
  await save(eva, 'board')

  await eva.emulateMedia({ colorScheme: 'dark' })
  await eva
    .getByRole('link', { name: /Mia Brunner/ })
    .first()
    .click()
  await drawn(eva)
  await eva.mouse.move(0, 0)
  await save(eva, 'incident-dark')

  const { store } = site.service
  const now = site.clock.now()
  const tokenOf = async (name: string, role: Role): Promise<string> => {
    const given = { name, role, applications: null, expiresAt: now + 90 * DAY }
    const made = await addApiToken({ store, ids: createIds() }, given, { actor: COMMAND, address: null, now })
    if ('refused' in made) throw new Error(made.refused)
    return made.secret
  }
  const wall = await opened(browser, { ...SCREEN, colorScheme: 'dark' })
  await wall.goto(`${url}/console#token=${await tokenOf('Wall', 'viewer')}`)
  await wall.locator('.wall').waitFor()
  await drawn(wall)
  await save(wall, 'wall')

  const phone = await opened(browser, PHONE)
  await phone.addInitScript(`localStorage.setItem('tocsin.token', '${await tokenOf('Max Berg', 'operator')}')`)
  await phone.goto(`${url}/console`)
  await phone.locator('.row').first().waitFor()
  await save(phone, 'phone')

  await firstSteps(browser)

  await eva.emulateMedia({ colorScheme: 'light' })
  const [report] = await Promise.all([
    eva.context().waitForEvent('page'),
    eva.getByRole('link', { name: 'Report', exact: true }).click(),
  ])
  await report.setViewportSize({ width: 900, height: 700 })
  await report.emulateMedia({ media: 'print' })
  await save(report, 'report')

  const { appId } = site.user.account
  await store.registerHardware(appId, [{ hardwareId: 'mia-phone', codeHash: '', model: 'Phone' }], now)
  await eva.evaluate(`location.hash = '#/device/${appId}/mia-phone'`)
  await eva.getByLabel('Owner (external id)').fill('tour-25')
  await eva.getByRole('button', { name: 'Create a token' }).click()
  await eva.locator('.qr').waitFor()
  const link = new URL((await eva.locator('.hand-over code').first().textContent())!)
  await fetch(`${url}${link.pathname}${link.search}&lat=47.04&lon=12.69&batt=64`)
  await eva.getByText('It works').waitFor()
  await save(eva, 'device', { fullPage: true })

  await store.updateApplication(appId, { webApp: { ...NO_WEB_APP, isOn: true, country: 'AT' } })
  await eva.evaluate(`location.hash = '#/application/${appId}'`)
  await eva.getByRole('button', { name: 'Make a poster' }).click()
  await eva.locator('.sheet').waitFor()
  await eva.setViewportSize({ width: 688, height: 880 })
  await eva.emulateMedia({ media: 'print' })
  await save(eva, 'poster')
  await eva.emulateMedia({ media: 'screen' })
  await eva.setViewportSize(SCREEN.viewport!)

  await eva.evaluate("location.hash = '#/readiness'")
  await eva.getByRole('link', { name: 'Paolo Conti' }).waitFor()
  await eva.mouse.move(0, 0)
  await save(eva, 'readiness', { fullPage: true })

  const nora = await site.newUser('tour-30').introduce({ name: 'Nora Lang', phone: '+436601234567' })
  await nora.rest('POST', '/v1/sdk/contacts', { name: 'Ana Adler', phone: '+436600000032' })
  await eva.evaluate("location.hash = '#/people'")
  await eva.getByRole('link', { name: 'Nora Lang' }).click()
  await eva.getByRole('button', { name: 'Start an exercise' }).click()
  await eva.getByRole('dialog').getByRole('button', { name: 'Start an exercise' }).click()
  await eva.getByText('Exercises started: 1.').waitFor()
  await eva.evaluate("location.hash = '#/'")
  await drawn(eva)
  await eva.getByText('Nora Lang').first().scrollIntoViewIfNeeded()
  await save(eva, 'exercise')
  await majorIncident(site, eva)
} finally {
  await endAll(ends)
}
