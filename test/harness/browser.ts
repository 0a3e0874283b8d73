import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Ending } from './ending.ts'

/**
 * Debian's, that without windows first: it takes half the processor time. Whoever develops without one still runs
 * everything else; CI must have it.
 */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path))
export const needsBrowser = { skip: CHROMIUM === undefined && process.env.CI !== 'true' && 'no Chromium' }

/** On a busy machine. */
const TIMEOUT_MS = 30_000

const axe = (): string => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A browser that starts once for a suite. */
export async function openBrowser(): Promise<Browser> {
  const args = [
    // As root, and in containers with little shared memory.
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    // No process in reserve: each visitor has one of its own, and starting one takes a quarter of a second.
    '--renderer-process-limit=1',
    // It asks nobody but the pages that it opens.
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  if (CHROMIUM === undefined) throw new Error('no Chromium (Debian: apt-get install chromium-headless-shell)')
  return chromium.launch({ executablePath: CHROMIUM, args })
}

export type Visitor = {
  readonly page: Page
  /** What must stay empty: errors and warnings on the browser's console, and requests to other hosts. */
  readonly trouble: readonly string[]
}

/**
 * A new visitor with a phone, who has seen nothing yet. At the end of the test, the browser's console may have no
 * errors or warnings but those that `expected` allows, and no request may have gone to another host.
 */
export async function visit(
  t: Ending,
  browser: Browser,
  { expected, ...options }: BrowserContextOptions & { readonly expected?: RegExp } = {},
): Promise<Visitor> {
  // What is half-way between two colours is no finding of axe.
  const still = { reducedMotion: 'reduce' } as const
  const shape = { viewport: { width: 390, height: 844 }, locale: 'en-GB' }
  const context = await browser.newContext({ ...shape, ...still, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const trouble: string[] = []
  page.on('console', (message) => {
    // Browsers ask every site for its icon.
    if (/^(error|warning)$/.test(message.type()) && !message.location().url.endsWith('/favicon.ico'))
      trouble.push(message.text())
  })
  page.on('pageerror', (error) => trouble.push(String(error)))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.hostname !== '127.0.0.1') trouble.push(`a request to ${url.host}`)
  })
  t.after(async () => {
    await context.close()
    assert.deepEqual(
      trouble.filter((line) => expected === undefined || !expected.test(line)),
      [],
    )
  })
  return { page, trouble }
}

/** What axe-core finds on a page: WCAG 2.2 AA and its best practices. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe())
  const { violations } = await page.evaluate(() => (globalThis as any).axe.run())
  return problemsOf(violations)
}

/** What depends on light and dark, of a page that `accessibilityProblems` has looked at before. */
export async function contrastProblems(page: Page): Promise<readonly string[]> {
  const { violations } = await page.evaluate(() => (globalThis as any).axe.run({ runOnly: ['color-contrast'] }))
  return problemsOf(violations)
}

const problemsOf = (violations: any[]): readonly string[] =>
  violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(' ')}`)
