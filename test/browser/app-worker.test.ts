import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import type { ConsoleFile } from '../../src/ports/console-files.ts'
import { needsBrowser, visit } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { appBrowser, HUT, keepIn, serveFiles } from './app-page.ts'

const NO_NETWORK = /ERR_(?:EMPTY_RESPONSE|CONNECTION|FAILED|ABORTED)/

const isControlled = (page: Page): Promise<boolean> =>
  page.evaluate('navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)')

const caches = (page: Page): Promise<readonly string[]> => page.evaluate('caches.keys()')

suite('the service worker of the app', needsBrowser, () => {
  const { browser } = appBrowser()

  test('the app opens without a network, by its address and by an invitation, and nothing of /v1 is kept', async (t) => {
    const { url, state } = await serveFiles(t)
    const { page } = await visit(t, browser(), { expected: NO_NETWORK })
    await page.goto(`${url}/app/`)
    await until('it is controlled', () => isControlled(page))
    const ask = () => page.evaluate<number>("fetch('/v1/time').then((r) => r.json()).then(({ at }) => at, () => -1)")
    assert.notEqual(await ask(), await ask(), 'an answer of the API is never a kept one')
    state.isDown = true
    assert.equal(await ask(), -1)
    for (const path of ['/app/', '/app/join#inv_x', '/app/#/contacts']) {
      await page.goto('about:blank')
      await page.goto(url + path)
      await page.getByRole('heading').first().waitFor()
    }
    const kept = await page.evaluate<readonly string[]>(
      'caches.keys().then((names) => caches.open(names[0])).then((cache) => cache.keys()).then((all) => all.map((one) => new URL(one.url).pathname))',
    )
    assert.deepEqual(
      kept.filter((path) => !path.startsWith('/app/assets/')),
      ['/app/'],
    )
  })

  test('a new build takes over and the page is of it; one whose files do not belong together is left alone', async (t) => {
    const { page } = await visit(t, browser())
    const { url, state } = await serveFiles(t)
    await page.goto(`${url}/app/`)
    await until('it is controlled', () => isControlled(page))
    const [first] = await caches(page)
    const changed = (file: ConsoleFile, change: (text: string) => string): ConsoleFile => {
      const bytes = Buffer.from(change(file.bytes.toString('utf8')))
      return { type: file.type, bytes, gzipped: gzipSync(bytes) }
    }
    const worker = (text: string) => text.replace(first!.slice(4), 'another00000')
    const of = (build: 'torn' | 'whole') => {
      state.changes = ({ page: html, assets }) => {
        const sw = changed(assets.get('sw.js')!, worker)
        const marked = (text: string) =>
          build === 'torn' ? text.replaceAll(/main-\w+/g, 'main-OTHER') : text.replace('<body>', '<body data-new>')
        return { page: changed(html, marked), assets: new Map([...assets, ['sw.js', sw]]) }
      }
    }
    of('torn')
    const update = () =>
      page.evaluate('navigator.serviceWorker.getRegistration().then((r) => r.update()).catch(() => {})')
    await update()
    await until('the torn build is refused', async () => (await caches(page)).length <= 2)
    assert.equal(await page.locator('body[data-new]').count(), 0)
    of('whole')
    await until('the new build shows', async () => {
      await update().catch(() => {})
      return (await page.locator('body[data-new]').count()) === 1
    })
  })

  test('browsers offer to install it, and news are shown while it is not on the screen', async (t) => {
    const { page } = await visit(t, browser())
    const { url } = await serveFiles(t)
    const devtools = await page.context().newCDPSession(page)
    const registrations: { registrationId: string }[] = []
    devtools.on('ServiceWorker.workerRegistrationUpdated', (event) => registrations.push(...event.registrations))
    await devtools.send('ServiceWorker.enable')
    await page.goto(`${url}/app/`)
    await until('it is controlled', () => isControlled(page))
    await page.evaluate(
      `document.head.append(Object.assign(document.createElement('link'), { rel: 'manifest', href: '/app/manifest.webmanifest?app=${HUT.id}' }))`,
    )
    const manifest = await devtools.send('Page.getAppManifest')
    assert.deepEqual(manifest.errors, [])
    assert.match(manifest.data ?? '', /"name":"Hut"/)
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    // A browser for tests is always incognito.
    assert.deepEqual(
      installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
      [],
    )

    const { registrationId } = await until('it is registered', () => registrations.at(-1))
    // A browser for tests shows nothing. The worker's own end of each message is what can be waited for.
    const [worker] = page.context().serviceWorkers()
    await worker!.evaluate(`
      globalThis.ended = 0
      globalThis.shown = []
      ServiceWorkerRegistration.prototype.showNotification = async (title, given) => shown.push({ title, ...given })
      const { waitUntil } = ExtendableEvent.prototype
      ExtendableEvent.prototype.waitUntil = function (work) {
        if (this.type === 'push') work.then(() => ended++, () => ended++)
        return waitUntil.call(this, work)
      }
    `)
    let sent = 0
    const pushed = async (news: object | string): Promise<unknown> => {
      const data = typeof news === 'string' ? news : JSON.stringify(news)
      await devtools.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data })
      sent += 1
      await until('it has been handled', async () => (await worker!.evaluate('ended')) === sent)
      return worker!.evaluate('shown')
    }
    const news = { title: 'News in Hut', body: 'Ana is coming', tag: 'sos' }
    assert.deepEqual(await pushed(news), [], 'on the screen, the app itself says so')
    await page.goto(`${url}/trust`)
    await keepIn(page, 'silent', true)
    assert.deepEqual(await pushed(news), [], 'nothing may light up')
    await keepIn(page, 'silent', false)
    assert.deepEqual(await pushed('no JSON'), [])
    assert.deepEqual(await pushed(news), [{ ...news, renotify: true }])
  })
})
