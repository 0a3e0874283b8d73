import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { FakeService } from '../../sdk/fake/index.ts'
import { needsBrowser, openBrowser, visit } from '../harness/browser.ts'
import type { Ending } from '../harness/ending.ts'
import { until } from '../harness/wait.ts'

const APP = `import { Tocsin } from ${JSON.stringify(fileURLToPath(new URL('../../sdk/src/index.ts', import.meta.url)))}
const identity = { url: location.origin, appId: 'app', userId: 'žofie', userHash: '00' }
globalThis.tocsin = new Tocsin({ ...identity, position: async () => null, battery: async () => null })`

/** A page with the SDK, on the host of a service in memory. Without a network, the service gives no answer. */
async function startPage(t: Ending, code: string): Promise<{ readonly url: string; readonly service: FakeService }> {
  const service = new FakeService()
  const page = `<!doctype html><link rel="icon" href="data:,"><script type="module">${code}</script>`
  const server = createServer(async (request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end(page)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const init = { method: request.method!, signal: gone.signal, ...(body !== '' && { body }) }
    const answer = await service.options.fetch!(service.options.url + request.url, init).catch(() => null)
    if (answer === null) return request.socket.destroy()
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    try {
      for await (const piece of answer.body ?? []) response.write(piece)
      response.end()
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, service }
}

const press = (page: Page): Promise<boolean> =>
  page.evaluate(async () => (await (globalThis as any).tocsin.sos.press({ mobileBattery: 64 })).state.kept)
const steps = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => (await (globalThis as any).tocsin.sos.alarms()).map((alarm: any) => alarm.state.step))
const shows = (page: Page, step: string): Promise<unknown> =>
  until(`the page shows ${step}`, async () => (await steps(page)).join() === step)

/** What a browser says of a request that got no answer. */
const NO_NETWORK = /ERR_(?:EMPTY_RESPONSE|CONNECTION|FAILED|NETWORK|ABORTED|INCOMPLETE)|404 \(Not Found\)/

suite('the SDK in a browser', needsBrowser, () => {
  let browser: Browser
  let code: string
  before(async () => {
    const stdin = { contents: APP, resolveDir: fileURLToPath(new URL('.', import.meta.url)) }
    const built = await build({ stdin, bundle: true, format: 'esm', target: 'es2022', write: false, logLevel: 'error' })
    code = built.outputFiles[0]!.text
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('a press is kept, and goes out after the page was closed and opened again', async (t) => {
    const { url, service } = await startPage(t, code)
    const { page } = await visit(t, browser, { expected: NO_NETWORK })
    await page.goto(url)
    service.isOffline = true
    assert.equal(await press(page), true)
    await page.goto('about:blank')
    service.isOffline = false
    await page.goto(url)
    await shows(page, 'onServer')
    assert.deepEqual([service.alerts.length, service.alerts[0]?.mobileBattery], [1, 64])
    service.answers('Ana', 'coming', 10)
    await shows(page, 'coming')
  })

  test('of two tabs one sends, both show, and when it closes the other goes on', async (t) => {
    const { url, service } = await startPage(t, code)
    const { page } = await visit(t, browser, { expected: NO_NETWORK })
    await page.goto(url)
    await page.evaluate(() => (globalThis as any).tocsin.sos.alarms())
    const other = await page.context().newPage()
    await other.goto(url)
    assert.equal(await press(other), true)
    await shows(other, 'onServer')
    await shows(page, 'onServer')
    assert.equal(service.alerts.length, 1)
    await page.close()
    service.alertsContacts()
    await shows(other, 'alerted')
  })

  test('a browser that keeps nothing sends all the same, and says so', async (t) => {
    const { url, service } = await startPage(t, code)
    const { page } = await visit(t, browser, { expected: NO_NETWORK })
    await page.addInitScript(() => {
      ;(globalThis as any).IDBFactory.prototype.open = () => {
        throw new DOMException('private', 'SecurityError')
      }
    })
    await page.goto(url)
    assert.equal(await press(page), false)
    await until('it is sent', () => service.alerts.length === 1)
  })
})
