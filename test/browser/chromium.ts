import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PROGRAM = '/usr/bin/chromium'

export const hasChromium = (): boolean => existsSync(PROGRAM)

/** Debian's Chromium, which asks nobody but the pages that it opens. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
