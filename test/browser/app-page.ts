import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import fastify from 'fastify'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { webAppRoutes } from '../../src/adapters/inbound/http/web-app/routes.ts'
import { consoleFiles } from '../../src/adapters/platform/console/built-files.ts'
import { appBundle } from '../../src/adapters/platform/console/sources.ts'
import type { BuiltConsole } from '../../src/ports/console-files.ts'
import type { WebApp } from '../../src/ports/web-apps.ts'
import { ensureApp } from '../../src/service/console.ts'
import { openBrowser, visit } from '../harness/browser.ts'
import { startSite } from '../harness/site.ts'
import { INVITATION, startFront } from './app-front.ts'

export const HUT: WebApp = {
  id: '0190aaaa-0000-7000-8000-000000000001',
  name: 'Hut',
  colour: '#0b57c2',
  emergencyNumber: '112',
  country: 'AT',
  smsNumber: null,
}

/** The app as it is built from the sources, and one browser for the tests of a suite. Call it inside the suite. */
export function appBrowser(): { readonly browser: () => Browser } {
  let browser: Browser
  before(async () => {
    const warn = (_: unknown, text: string): void => assert.fail(text)
    await ensureApp({ warn }, AbortSignal.timeout(60_000))
    browser = await openBrowser()
  })
  after(() => browser?.close())
  return { browser: () => browser }
}

type Opening = {
  readonly contacts?: readonly string[]
  /** Where the set-up is; null: done. Absent: an invitation is opened. */
  readonly setUp?: string | null
  readonly kind?: 'person' | 'device'
  readonly context?: BrowserContextOptions
  /** Past what browsers say of a network that fails. */
  readonly expected?: RegExp
  readonly before?: (page: Page) => Promise<unknown>
}

/** What a browser says of requests without an answer, and of refusals. */
const FAILED = /ERR_(?:EMPTY_RESPONSE|CONNECTION|FAILED|ABORTED|INCOMPLETE)|status of (?:401|404|409|503)/

/** A person's phone with the app, before a real service on a virtual clock. */
export async function openApp(t: TestContext, browser: Browser, given: Opening = {}) {
  const site = await startSite(t, { now: Date.now() })
  const user = await site.newUser('walker-1').introduce({ name: 'Mia Moser' })
  for (const [at, name] of (given.contacts ?? []).entries())
    await user.rest('POST', '/v1/sdk/contacts', { name, phone: `+4366011100${10 + at}` })
  const enrolled = { userId: 'walker-1', credential: user.hash }
  const front = await startFront(t, {
    service: () => site.service.listeners.http!,
    app: HUT,
    enrolled,
    ...(given.kind !== undefined && { kind: given.kind }),
  })
  const { page } = await visit(t, browser, { expected: given.expected ?? FAILED, ...given.context })
  await given.before?.(page)
  if (given.setUp === undefined) {
    await page.goto(`${front.url}/app/join#${INVITATION}`)
    return { site, user, front, page }
  }
  await page.goto(`${front.url}/app/`)
  await keepIn(page, 'enrolment', {
    appId: HUT.id,
    deviceId: 'this',
    ...enrolled,
    application: HUT,
    setUp: given.setUp,
  })
  await page.reload()
  return { site, user, front, page }
}

/** Puts something into the app's own database. */
export const keepIn = (page: Page, key: string, value: unknown): Promise<unknown> =>
  page.evaluate(
    `new Promise((done) => {
      const open = indexedDB.open('tocsin-app', 1)
      open.onupgradeneeded = () => open.result.createObjectStore('kept')
      open.onsuccess = () => {
        const store = open.result.transaction('kept', 'readwrite').objectStore('kept')
        store.put(${JSON.stringify(value)}, ${JSON.stringify(key)}).onsuccess = () => done()
      }
    })`,
  )

/** What the app's own database has. */
export const keptIn = (page: Page, key: string): Promise<any> =>
  page.evaluate(
    `new Promise((done) => {
      const open = indexedDB.open('tocsin-app', 1)
      open.onsuccess = () => {
        const asked = open.result.transaction('kept').objectStore('kept').get(${JSON.stringify(key)})
        asked.onsuccess = () => done(asked.result ?? null)
      }
    })`,
  )

/** The words that are cut, in the page, and whether it is wider than its window. */
export const CUT = `[...document.querySelectorAll('button, a, p, h1, h2, label, dt, dd, li')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline' && !one.closest('.unseen'))
  .map((one) => one.textContent)
  .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`

/** Three presses of the button. */
export async function pressThrice(page: Page): Promise<void> {
  for (let n = 0; n < 3; n += 1) await page.getByRole('button', { name: /^SOS/ }).click()
}

/** Its files alone, on a server that can be another build, or be gone. */
export async function serveFiles(t: TestContext) {
  const files = consoleFiles(appBundle.built)
  const state = { isDown: false, changes: (built: BuiltConsole): BuiltConsole => built }
  const paths: string[] = []
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onRequest', async (request, reply) => {
    paths.push(request.url)
    if (state.isDown) reply.raw.destroy()
  })
  app.register(
    webAppRoutes({
      apps: { isAnyOn: async () => true, find: async (id) => (id === HUT.id ? HUT : null) },
      localCa: () => null,
      needsHttps: () => false,
      files: async () => {
        const built = await files()
        return built && state.changes(built)
      },
    }),
  )
  app.get('/v1/time', async () => ({ at: paths.length }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return { url, state, paths }
}
