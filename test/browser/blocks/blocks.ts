import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const ADDRESS = 'http://127.0.0.1:1/'
const TYPES: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript', woff2: 'font/woff2' }

/** Opens every building block of the console on one page, on no server. */
export async function openBlocks(page: Page): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['test/browser/blocks/page.tsx', 'console/style/console.css'],
    entryNames: '[name]',
    assetNames: '[name]',
    outdir: 'blocks',
    loader: { '.woff2': 'file' },
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    write: false,
    logLevel: 'error',
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]))
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Blocks</title><link rel="icon" href="data:,"><link rel="stylesheet" href="console.css"><script type="module" src="page.js"></script><div id="console"></div>`
  await page.route(`${ADDRESS}**`, (route) => {
    const name = basename(new URL(route.request().url()).pathname)
    const file = files.get(name)
    if (file === undefined) return route.fulfill({ contentType: 'text/html', body: html })
    return route.fulfill({ contentType: TYPES[name.split('.').at(-1)!] ?? '', body: file })
  })
  await page.goto(ADDRESS)
  await page.getByText('Building blocks').waitFor()
  await page.evaluate('document.fonts.ready')
}
