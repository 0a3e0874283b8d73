import { existsSync, globSync } from 'node:fs'
import { Driven } from './driven.ts'
import { startFirefox } from './firefox.ts'
import { startWebKit } from './webkit.ts'

const found = (...paths: readonly string[]): string | undefined => globSync(paths).find((path) => existsSync(path))

const FIREFOX = found('/usr/bin/firefox-esr', '/usr/bin/firefox')
const WEBKIT = {
  driver: found('/usr/bin/WebKitWebDriver'),
  browser: found('/usr/lib/*/webkit2gtk-4.1/MiniBrowser'),
  screen: found('/usr/bin/Xvfb'),
}

/** The browsers beside Chromium, and whether they are installed here. */
export const otherBrowsers = [
  {
    name: 'Firefox',
    needs: 'firefox-esr',
    isThere: FIREFOX !== undefined,
    start: async () => new Driven(await startFirefox(FIREFOX!)),
  },
  {
    name: 'WebKitGTK',
    needs: 'webkit2gtk-driver and xvfb',
    isThere: Object.values(WEBKIT).every((path) => path !== undefined),
    start: async () => new Driven(await startWebKit(WEBKIT.driver!, WEBKIT.browser!)),
  },
] as const
