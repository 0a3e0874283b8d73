import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { openBrowser } from '../harness/browser.ts'
import { type Site, startSite } from '../harness/site.ts'
import { OVERLAYS, WAY } from './mountain.ts'

/** `bin/node test/pictures/tracking-page.ts` makes the pictures of docs/tracking-page.md anew. */

const DIRECTORY = fileURLToPath(new URL('../../docs/tracking-page/', import.meta.url))
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, locale: 'en-GB' }

/** Of a picture of the map. */
const HEIGHT = 420
const ends: (() => unknown)[] = []
const closes = { after: (end: () => unknown) => ends.push(end) }

/** A site on which Mia has pressed SOS, with her way there. */
async function pressed(position: object, way: readonly (readonly [number, number])[] = []): Promise<Site> {
  const files = await mkdtemp(join(tmpdir(), 'tocsin-pictures-'))
  ends.push(() => rm(files, { recursive: true }))
  const overlays = [join(files, 'huts.geojson')]
  await writeFile(overlays[0]!, JSON.stringify(OVERLAYS))
  const config = { map: { overlays, attribution: 'Alpine Club' } }
  const site = await startSite(closes, { contacts: ['Benedikt Auer', 'Ana Adler'], config })
  await site.user.rest('PUT', '/v1/sdk/me', { name: 'Mia Brunner', phone: '+436601234567' })
  await site.user.presses({ timestamp: isoAt(site.clock.now()), mobileBattery: 43, ...position })
  for (const [latitude, longitude] of way) {
    await site.advance('90 s')
    await site.user.moves({ timestamp: isoAt(site.clock.now()), latitude, longitude, altitude: 2903, accuracy: 220 })
  }
  return site
}

/** `part`: what the picture is of; else the first view of a phone. */
async function picture(
  browser: Browser,
  name: string,
  link: string,
  { part, ...options }: BrowserContextOptions & { readonly part?: string } = {},
): Promise<void> {
  const context = await browser.newContext({ ...PHONE, ...options })
  const page = await context.newPage()
  await page.goto(link)
  if (part !== undefined) {
    await page.locator('#map').scrollIntoViewIfNeeded()
    await page.locator('#map .map-name').first().waitFor()
    await page.locator('#map path.map-land').waitFor({ state: 'attached' })
    const { x = 0, y = 0, width = 0 } = (await page.locator(part).boundingBox()) ?? {}
    await page.screenshot({ path: `${DIRECTORY}${name}.png`, clip: { x, y, width, height: HEIGHT } })
  } else await page.screenshot({ path: `${DIRECTORY}${name}.png` })
  await context.close()
}

const browser = await openBrowser()
ends.push(() => browser.close())
try {
  const mountain = await pressed({ latitude: 47.0549, longitude: 12.6814, altitude: 2801, accuracy: 25 }, WAY)
  await mountain.advance('4 min')
  const [benedikt, ana] = [await mountain.phone('Benedikt Auer').link(), await mountain.phone('Ana Adler').link()]
  await fetch(`${benedikt}/ack?coming=60`, { method: 'POST' })
  await picture(browser, 'asked', ana)
  await picture(browser, 'answered-dark', benedikt, { colorScheme: 'dark' })
  await picture(browser, 'map', ana, { part: 'section' })
  await picture(browser, 'map-dark', ana, { part: 'section', colorScheme: 'dark' })

  const border = await pressed({ latitude: 1.4521, longitude: 103.7689 })
  await border.advance('40 min')
  await picture(browser, 'old', await border.phone('Ana Adler').link())
} finally {
  for (const end of ends.toReversed()) await end()
}
