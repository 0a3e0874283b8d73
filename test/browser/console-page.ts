import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import axe from 'axe-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { ensureConsole } from '../../src/service/console.ts'
import { idOf } from '../console/items.ts'
import { openBrowser, visit } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'
import { startFakeApi } from './fake-api.ts'

type Api = Awaited<ReturnType<typeof startFakeApi>>
export type Opened = { readonly page: Page; readonly api: Api }

/** Jonas Weber's open incident, which nobody has answered. */
export const JONAS = idOf(1)

/** What a browser says of answers that these tests ask for. */
const REFUSED = /status of (40[139]|429)/
/** Of a stream that a test cuts, and does not offer again for a while. */
export const CUT = /ERR_INCOMPLETE_CHUNKED_ENCODING|status of 503/

/** Counts what plays over and over, and what has played once. */
export const NOTE_SOUNDS = `
  globalThis.sounds = { once: 0, loops: 0 }
  const { start, stop } = AudioBufferSourceNode.prototype
  AudioBufferSourceNode.prototype.start = function (...given) {
    sounds[this.loop ? 'loops' : 'once'] += 1
    return start.apply(this, given)
  }
  AudioBufferSourceNode.prototype.stop = function (...given) {
    if (this.loop) sounds.loops -= 1
    return stop.apply(this, given)
  }
`

/** What axe finds wrong with a page as it is now. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // Past the page's own policy, which allows no script but its own: the browser's debugger puts it in.
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
  return violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' | ')}`)
}

/**
 * From here on the time of a page whose clock is installed passes by `page.clock` alone. A clock that flows makes a
 * test depend on how fast the machine is: after 30 s without a heartbeat the page begins its stream anew.
 */
export async function stopClock(page: Page): Promise<void> {
  const AHEAD_MS = 5000
  await until('the clock stands', async () => {
    const now = await page.evaluate<number>('Date.now()')
    // On a machine where that has passed meanwhile, it is tried again.
    return page.clock.pauseAt(now + AHEAD_MS).then(
      () => true,
      () => false,
    )
  })
}

/** Lets the stopped time pass in small steps until something is in the page: without frames it draws nothing. */
export const drawn = (page: Page, what: Locator): Promise<boolean> =>
  until('it is drawn', async () => {
    await page.clock.runFor(20)
    return what.isVisible()
  })

type Given = Parameters<typeof startFakeApi>[0] & {
  /** What follows the address of the console, such as `#/history`. */
  readonly at?: string
  readonly signedOut?: boolean
  readonly width?: number
  readonly dark?: boolean
  /** What may stand on the browser's console; otherwise refusals that tests ask for. */
  readonly expected?: RegExp
}

/**
 * The console as it is built from the sources, and one browser for the tests of a suite. Call it inside the suite.
 * `open` opens a page on an API of its own, 1280 px wide unless told; `visitor` one that shows nothing yet.
 */
export function consoleBrowser() {
  let browser: Browser
  before(async () => {
    const warn = (_: unknown, text: string): void => assert.fail(text)
    await ensureConsole({ warn } as Parameters<typeof ensureConsole>[0], AbortSignal.timeout(60_000))
    browser = await openBrowser()
  })
  after(() => browser?.close())

  const visitor = (t: TestContext, options: Parameters<typeof visit>[2]) => visit(t, browser, options)
  async function open(t: TestContext, given: Given = {}): Promise<Opened> {
    const api = await startFakeApi({ now: Date.now(), ...given })
    api.state.signedIn = given.signedOut !== true
    // It leaves before the API closes, which would cut its stream.
    const { page } = await visitor(t, {
      viewport: { width: given.width ?? 1280, height: 800 },
      colorScheme: given.dark ? 'dark' : 'light',
      expected: given.expected ?? REFUSED,
    })
    t.after(() => api.close())
    await page.goto(api.url + (given.at ?? ''))
    return { page, api }
  }
  return { open, visitor }
}

/**
 * Words that are cut: beside their block or the screen, or broken in two. Not where an area scrolls, nor what only
 * screen readers read, nor names, which may be of any length.
 */
export const CUT_WORDS = `(() => {
  const found = []
  const range = document.createRange()
  const isHidden = (box) => box.width <= 1 || box.height <= 1
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && /\\p{L}{2}/u.test(node.data))
    if (own.length === 0 || !element.checkVisibility()) continue
    if (element.closest('.unseen, .tools, code, pre, .map, option, svg, thead, .row-who > strong, .who')) continue
    const style = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    if (isHidden(box) || isHidden(element.parentElement.getBoundingClientRect()) || style.fontSize === '0px') continue
    const said = element.innerText.slice(0, 40)
    const isBlock = style.display !== 'inline'
    if (isBlock && element.scrollWidth > element.clientWidth + 1) found.push('too wide: ' + said)
    if (box.right > innerWidth + 1) found.push('beside the screen: ' + said)
    for (const text of own) {
      for (const { 0: word, index } of text.data.matchAll(/(?<![@.])[\\p{L}’]{2,30}(?![.@]\\S)/gu)) {
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const boxes = [...range.getClientRects()]
        if (boxes.some(({ top }) => top > boxes[0].bottom - 4)) found.push('broken: ' + word)
      }
    }
  }
  return found
})()`
