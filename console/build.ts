import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { consoleFingerprint, consolePlaces, MANIFEST, type Manifest } from '../src/adapters/platform/console/sources.ts'

const { root, built } = consolePlaces

const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tocsin</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`

/** Builds the console into `dist/console`, and removes the build before it. */
export async function buildConsole(): Promise<void> {
  const read = await consoleFingerprint()
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['console/main.tsx', 'console/style/console.css'],
    outdir: built,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    target: ['chrome107', 'firefox104', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  })
  const assets = outputFiles.map(({ path }) => basename(path))
  const nameOf = (ending: string): string => assets.find((name) => name.endsWith(ending))!
  await mkdir(built, { recursive: true })
  for (const { path, contents } of outputFiles) await writeFile(path, contents)
  // Under its hash as well: a page never names files of another build, whichever of two that run at once ends last.
  const page = `page-${read.slice(0, 12)}.html`
  await writeFile(join(built, page), pageOf(nameOf('.js'), nameOf('.css')))
  const manifest: Manifest = { sources: read, page, assets }
  const unfinished = join(built, `${MANIFEST}.${process.pid}`)
  await writeFile(unfinished, JSON.stringify(manifest))
  await rename(unfinished, join(built, MANIFEST))
  for (const name of await readdir(built)) {
    if (/^(main|console|page)-/.test(name) && name !== page && !assets.includes(name))
      await rm(join(built, name), { force: true })
  }
}
