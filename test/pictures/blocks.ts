import { fileURLToPath } from 'node:url'
import { openBlocks } from '../browser/blocks/blocks.ts'
import { openBrowser } from '../harness/browser.ts'

/** `bin/node test/pictures/blocks.ts`: every building block of the console, by day and by night. */
const DIRECTORY = fileURLToPath(new URL('../../docs/console/', import.meta.url))

const browser = await openBrowser()
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, locale: 'en-GB' })
  await openBlocks(page)
  for (const [name, colorScheme] of [
    ['day', 'light'],
    ['night', 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: `${DIRECTORY}blocks-${name}.png`, fullPage: true })
  }
} finally {
  await browser.close()
}
