import { existsSync } from 'node:fs'

const CHROMIUM = '/usr/bin/chromium'
/** All rows of alarms that nobody has taken yet are visible: the page has no others. */
const VIEWPORT = { width: 1280, height: 6000 }
const TOKEN_KEY = 'tocsin.token'

/** The board in a real browser. */
export type BoardPage = {
  /** When the row of each incident was first in a frame, by the incident's id: epoch ms. */
  shown(): Promise<ReadonlyMap<string, number>>
  close(): Promise<void>
}

/** Null where Chromium is not installed. `token`: an API token. Settles when the board shows its rows. */
export async function openBoardPage(origin: string, token: string): Promise<BoardPage | null> {
  if (!existsSync(CHROMIUM)) return null
  const { chromium } = await import('playwright-core')
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
  const browser = await chromium.launch({ executablePath: CHROMIUM, args })
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.addInitScript(([key, secret]) => localStorage.setItem(key!, secret!), [TOKEN_KEY, token])
  await page.goto(`${origin}/console`)
  await page.locator('.rows .row').first().waitFor({ timeout: 60_000 })
  // As text: it runs in the page.
  await page.evaluate(WATCH)
  return {
    shown: async () => new Map(await page.evaluate<[string, number][]>('[...globalThis.benchShown]')),
    close: () => browser.close(),
  }
}

const WATCH = `
  globalThis.benchShown = new Map()
  new MutationObserver(() => {
    const news = [...document.querySelectorAll('.rows a[href^="#/incident/"]')]
      .map((row) => row.getAttribute('href').slice('#/incident/'.length))
      .filter((id) => !globalThis.benchShown.has(id))
    for (const id of news) globalThis.benchShown.set(id, Number.NaN)
    if (news.length === 0) return
    requestAnimationFrame(() => setTimeout(() => {
      for (const id of news) globalThis.benchShown.set(id, performance.timeOrigin + performance.now())
    }))
  }).observe(document.body, { childList: true, subtree: true })
`
