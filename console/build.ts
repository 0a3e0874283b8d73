import { buildBundle } from '../build/bundle.ts'
import { consoleBundle } from '../src/adapters/platform/console/sources.ts'
import { GROUNDS, iconOf, markOf } from './logic/mark.ts'

const ICON = iconOf(markOf(GROUNDS.calm))

/** The installed console as systems show it. https://www.w3.org/TR/appmanifest/ */
const MANIFEST = {
  ...{ id: '/console/', name: 'Tocsin', short_name: 'Tocsin', start_url: '/console/', scope: '/console/' },
  ...{ display: 'standalone', background_color: GROUNDS.calm, theme_color: GROUNDS.calm },
  icons: [{ src: ICON, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
}

const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tocsin</title>
<link rel="manifest" href="/console/manifest.webmanifest">
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`

/** Builds the console into `dist/console`, and removes the build before it. */
export const buildConsole = (): Promise<void> =>
  buildBundle(consoleBundle, {
    entries: ['console/main.tsx', 'console/style/console.css'],
    onDemand: true,
    pageOf,
    worker: { entry: 'console/worker.ts', name: 'sw.js' },
    files: { 'manifest.webmanifest': JSON.stringify(MANIFEST) },
  })
