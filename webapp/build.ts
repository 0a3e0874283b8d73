import { buildBundle } from '../build/bundle.ts'
import { appBundle } from '../src/adapters/platform/console/sources.ts'

const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>SOS</title>
<link rel="icon" href="/app/icon.svg">
<link rel="stylesheet" href="/app/assets/${style}">
<script type="module" src="/app/assets/${script}"></script>
</head>
<body><div id="app"></div><noscript>This app needs JavaScript. In an emergency, call 112.</noscript></body>
</html>
`

/** Builds the app in the box into `dist/app`, and removes the build before it. */
export const buildApp = (): Promise<void> =>
  buildBundle(appBundle, {
    entries: ['webapp/main.tsx', 'webapp/style/app.css'],
    pageOf,
    worker: { entry: 'webapp/worker.ts', name: 'sw.js' },
  })
