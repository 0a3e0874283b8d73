import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { accessibilityProblems, needsBrowser, openBrowser, visit } from '../harness/browser.ts'
import { pmtiles } from '../harness/pmtiles.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

const PRESSED_AT = { latitude: 47.0742, longitude: 12.6939, altitude: 2454, accuracy: 180 }
const HUTS = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: '<b>Stüdlhütte' },
      geometry: { type: 'Point', coordinates: [12.681, 47.055, 2801] },
    },
  ],
}

suite('the tracking page in a browser', needsBrowser, () => {
  let browser: Browser
  let site: Site
  let link: { readonly ana: string; readonly ben: string }
  const ends: (() => unknown)[] = []
  before(async () => {
    const files = await mkdtemp(join(tmpdir(), 'tocsin-map-'))
    ends.push(() => rm(files, { recursive: true }))
    writeFileSync(join(files, 'huts.geojson'), JSON.stringify(HUTS))
    writeFileSync(join(files, 'region.pmtiles'), pmtiles())
    const map = {
      overlays: [join(files, 'huts.geojson')],
      basemap: join(files, 'region.pmtiles'),
      attribution: 'Hut register',
    }
    ;[browser, site] = await Promise.all([
      openBrowser(),
      startSite({ after: (end) => ends.push(end) }, { contacts: ['Ana Adler', 'Ben Berg'], config: { map } }),
    ])
    await site.user.presses({ timestamp: isoAt(site.clock.now()), ...PRESSED_AT })
    await site.advance('10 min')
    link = { ana: await site.phone('Ana Adler').link(), ben: await site.phone('Ben Berg').link() }
  })
  after(async () => {
    await browser?.close()
    for (const end of ends.toReversed()) await end()
  })

  /** Answers, wherever the page has its choices: open, or folded away behind an earlier answer. */
  async function answers(page: Page, name: string | RegExp): Promise<void> {
    const choice = page.getByRole('button', { name, includeHidden: true })
    await choice.waitFor({ state: 'attached' })
    if (!(await choice.isVisible())) await page.getByText('Change my answer').click()
    await choice.click()
  }
  const coming = (time: string) => new RegExp(`^I'm coming, in ${time}`)
  const textOf = async (page: Page, part: string): Promise<string> => (await page.locator(part).textContent()) ?? ''
  /** A page whose map is there, as somebody sees it who has read that far. */
  async function seesMap(page: Page): Promise<void> {
    await page.locator('#map').scrollIntoViewIfNeeded()
    await page.locator('#map .map-pin').waitFor()
    await page.locator('#map path.map-land').waitFor({ state: 'attached' })
    await page.locator('#map .map-name').waitFor({ state: 'attached' })
    await page.locator('#map canvas').first().waitFor({ state: 'attached' })
  }

  test('the map shows where and how long ago, from this host alone, at 320 px as well', async (t) => {
    const { page } = await visit(t, browser, { viewport: { width: 320, height: 568 } })
    await page.goto(link.ana)
    await seesMap(page)
    assert.equal(await textOf(page, '#map .map-label'), '10 minutes ago')
    assert.equal(await page.locator('#map .map-accuracy').count(), 1)
    assert.equal(await textOf(page, '#map .map-name'), '<b>Stüdlhütte')
    assert.match(await textOf(page, '#map'), /OpenStreetMap.*Hut register.*Natural Earth/s)
    assert.match(await textOf(page, 'main'), /Accurate to about 180\u00a0m/)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await site.user.moves({ timestamp: isoAt(site.clock.now()), latitude: 47.08, longitude: 12.7 })
    await page.reload()
    await seesMap(page)
    assert.equal(await page.locator('#map .map-trail').count(), 1)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing on the page with its map in ${colorScheme}`, async (t) => {
      const { page } = await visit(t, browser, { colorScheme })
      await page.goto(link.ana)
      await seesMap(page)
      assert.deepEqual(await accessibilityProblems(page), [])
    })
  }

  test('an answer shows on the other contact’s page by itself, and so does another one; the map stays', async (t) => {
    const [{ page: ana }, { page: ben }] = [await visit(t, browser), await visit(t, browser)]
    // Only who is confirmed or has answered reads names. rules.md#telling-others.
    await fetch(`${link.ben}/decline`, { method: 'POST', redirect: 'manual' })
    await Promise.all([ana.goto(link.ana), ben.goto(link.ben)])
    await seesMap(ben)
    const map = await ben.locator('#map').elementHandle()
    await answers(ana, coming('30'))
    await ana.getByText('Your answer: you are coming').waitFor()
    await ben.locator('header').getByText('Ana is coming').waitFor()
    await site.advance('10 s')
    await answers(ana, "I can't help")
    await ana.getByText("Your answer: you can't help.").first().waitFor()
    await ben.getByText("Ana can't help").first().waitFor()
    assert.equal(await ben.locator('#map').evaluate((now, before) => now === before, map), true)
    assert.equal(await ben.locator('#map .map-pin').count(), 1)
  })

  test('a stream that is cut off is opened again, and the page goes on', async (t) => {
    const { page } = await visit(t, browser)
    let streams = 0
    await page.route('**/events?*', (route) => {
      streams += 1
      if (streams > 1) return route.continue()
      return route.fulfill({ contentType: 'text/event-stream', body: 'retry: 20\n\n' })
    })
    await page.goto(link.ana)
    await until('the page opens another stream', () => streams > 1)
    await site.advance('10 s')
    await fetch(`${link.ben}/ack?calling`, { method: 'POST' })
    await page.getByText('Ben is calling').first().waitFor()
  })

  test('an answer on a line that has gone silent is sent again after 15 s', async (t) => {
    const { page } = await visit(t, browser, { expected: /net::ERR_FAILED|ERR_ABORTED/ })
    await page.clock.install()
    let sent = 0
    await page.route('**/ack?*', async (route) => {
      sent += 1
      if (sent > 1) await route.continue()
    })
    await page.goto(link.ana)
    await answers(page, coming('10'))
    await page.getByText('Sending your answer').waitFor()
    await until('the answer is on its way', () => sent === 1)
    await page.clock.fastForward(15_000)
    await page.getByText('Your answer has not been sent yet').waitFor()
    await page.clock.fastForward(1_000)
    await page.getByText('Your answer: you are coming').waitFor()
    assert.equal(sent, 2)
  })

  test('without script everything but the map is there, and an answer arrives', async (t) => {
    const { page } = await visit(t, browser, { javaScriptEnabled: false })
    await site.advance('10 s')
    await page.goto(link.ben)
    assert.equal(await page.locator('#map').isVisible(), false)
    await answers(page, coming('1.h'))
    await page.getByText('Your answer: you are coming').waitFor()
    assert.match(await textOf(page, 'main'), /47\.08000, 12\.70000/)
  })

  test('a message on a bad line arrives once, and what is typed outlasts a newer page', async (t) => {
    const { store } = site.service
    const { user, clock } = site
    const ana = (await store.contacts(user.userId)).find(({ name }) => name === 'Ana Adler')!
    const token = 'the-confirmation-of-ana'
    await store.requestVerification(user.userId, ana.id, { token, now: clock.now(), perDay: 99 })
    await store.answerVerification(token, 'confirmed', clock.now())
    const { page } = await visit(t, browser, {
      viewport: { width: 320, height: 568 },
      expected: /net::ERR_FAILED/,
    })
    await page.goto(link.ana)
    await answers(page, coming('30 min'))
    const field = page.getByRole('textbox', { name: 'Write to Mia Moser' })
    await field.fill('I am at the low')
    const says = (text: string) => user.rest('POST', '/v1/sdk/sos/messages', { id: `key-of-${text.length}`, text })
    await says("I'm fine")
    await page.getByText('Nobody else has confirmed it.').waitFor()
    assert.equal(await field.inputValue(), 'I am at the low')
    assert.equal(await page.locator('#say-text:focus').count(), 1)
    await field.pressSequentially('er hut')
    let lost = 0
    // The first answer is lost on its way back.
    await page.route('**/messages', async (route) => {
      lost += 1
      if (lost > 1) return route.continue()
      await route.fetch({ maxRedirects: 0 })
      return route.abort()
    })
    await page.getByRole('button', { name: 'Send message' }).click()
    await page.getByText('From you').waitFor()
    await until('the answer', async () => (await field.inputValue()) === '')
    const { body } = await user.rest('GET', '/v1/sdk/sos/messages')
    assert.deepEqual(
      body.items.map(({ text }: { text: string }) => text),
      ["I'm fine", 'I am at the lower hut'],
    )
    assert.equal(lost, 2)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      assert.deepEqual(await accessibilityProblems(page), [])
    }
  })

  test('ended from the person’s own phone, the page says so and keeps the last place', async (t) => {
    const { page } = await visit(t, browser)
    await page.goto(link.ana)
    await seesMap(page)
    await site.user.ends('resolve')
    await page.getByText("Alert ended from Mia Moser's phone").waitFor()
    assert.equal(await page.locator('#map .map-pin').isVisible(), true)
    assert.equal(await page.locator('form').count(), 0)
  })
})
