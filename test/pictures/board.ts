import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Item } from '../../console/api/types.ts'
import { startFakeApi } from '../browser/fake-api.ts'
import { idOf, itemOf } from '../console/items.ts'
import { openBrowser } from '../harness/browser.ts'
import { until } from '../harness/wait.ts'

/**
 * `bin/node test/pictures/board.ts [DIRECTORY]`: measures the board with 25 and 200 alarms on four screens, by day and
 * by night, and how soon a new alarm is a row among 1,000. With a directory it leaves a picture of each there.
 */

const SCREENS = [
  [390, 844],
  [1280, 900],
  [1920, 1080],
  [3840, 2160],
] as const
/** Above the first alarm of a phone, and rows on a desk. */
const MAX_ABOVE_PX = 120
const LEAST_ROWS = 15
const NEW_ROWS = 200

const directory = process.argv[2]
if (directory !== undefined) mkdirSync(directory, { recursive: true })

const now = Date.now()
/** Alarms of every state, over an hour and 10 km. */
function alarm(n: number): Item {
  const by = { kind: 'contact', name: 'Alexander' } as const
  const answer = { by, kind: 'coming', etaMinutes: 30, overdue: false, at: new Date(now).toISOString() } as const
  const item = itemOf(10 + n, now, {
    presses: (n % 4) + 1,
    ...(n % 3 === 0 && { urgency: 3, status: 'acknowledged', answer }),
  })
  const at = new Date(now - (n % 60) * 60_000).toISOString()
  const position = item.position && { ...item.position, latitude: 47 + (n % 37) / 370, longitude: 11 + (n % 29) / 290 }
  return { ...item, position, openedAt: at, pressedAt: at, occurredAt: at, lastPressAt: at }
}

const MEASURED = `(() => {
  const isSeen = ({ top, bottom }) => top >= 0 && bottom <= innerHeight
  const rows = [...document.querySelectorAll('.row[data-id]')]
  const head = document.querySelector('.board-head h1, main h1')
  return {
    rows: rows.filter((row) => isSeen(row.getBoundingClientRect())).length,
    above: Math.round(Math.min(...rows.map((row) => row.getBoundingClientRect().top))),
    beside: document.documentElement.scrollWidth - innerWidth,
    drawn: rows.length,
    title: head?.textContent ?? '',
  }
})()`
type Measured = { rows: number; above: number; beside: number; drawn: number; title: string }

async function measure(page: Page, count: number, theme: 'light' | 'dark'): Promise<void> {
  const { width: wide, height: high } = page.viewportSize()!
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  const found = await until('it is drawn', async () => {
    const seen = await page.evaluate<Measured>(MEASURED)
    return seen.title.startsWith(`${count} `) && seen.drawn > 0 ? seen : null
  })
  console.log(
    `${String(count).padStart(4)} alarms, ${wide} × ${high}, ${theme}: ${found.rows} rows in sight, ${found.above} px above the first, ${found.drawn} rows drawn`,
  )
  assert.ok(found.beside <= 0, `${found.beside} px beside the screen`)
  if (wide === 390) assert.ok(found.above <= MAX_ABOVE_PX, `${found.above} px above the first alarm`)
  else assert.ok(found.rows >= LEAST_ROWS, `${found.rows} rows in sight`)
  if (directory !== undefined) await page.screenshot({ path: join(directory, `board-${count}-${wide}-${theme}.png`) })
}

/** When a row is in the page, in the browser's time. */
const SEEN_AT = (id: string): string => `new Promise((resolve) => {
  const look = () => document.querySelector('.row[data-id="${id}"]') !== null
  const tell = () => requestAnimationFrame(() => resolve(Date.now()))
  if (look()) return tell()
  const watch = new MutationObserver(() => {
    if (!look()) return
    watch.disconnect()
    tell()
  })
  watch.observe(document.body, { subtree: true, childList: true })
})`

const browser = await openBrowser()
const api = await startFakeApi({ now, open: [] } as Parameters<typeof startFakeApi>[0])
api.state.signedIn = true
try {
  const page = await browser.newPage({ locale: 'en-GB' })
  await page.goto(api.url)
  await page.getByText('All quiet').first().waitFor()
  let count = 0
  const fill = (wanted: number): void => {
    for (; count < wanted; count++) api.add(alarm(count))
  }
  for (const wanted of [25, 200]) {
    fill(wanted)
    for (const [wide, high] of SCREENS) {
      // A phone begins without the map.
      await page.setViewportSize({ width: wide, height: high })
      await page.reload()
      for (const theme of ['light', 'dark'] as const) await measure(page, wanted, theme)
    }
  }
  fill(1000)
  await page.setViewportSize({ width: 1280, height: 900 })
  await until('all are there', async () => (await page.evaluate<Measured>(MEASURED)).title.startsWith('1000 '))
  const took: number[] = []
  for (let n = 0; n < NEW_ROWS; n++) {
    const item = itemOf(5000 + n, now, { new: true, openedAt: new Date().toISOString() })
    const seen = page.evaluate<number>(SEEN_AT(idOf(5000 + n)))
    // Whoever watches is there before the alarm is.
    await page.evaluate('0')
    const pressed = Date.now()
    api.add({ ...item, pressedAt: item.openedAt, occurredAt: item.openedAt })
    took.push((await seen) - pressed)
  }
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))]!
  console.log(
    `a new alarm is a row among 1,000 after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99), ${took.at(-1)} ms at most`,
  )
} finally {
  await browser.close()
  await api.close()
}
