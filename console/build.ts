import { buildBundle } from '../build/bundle.ts'
import { consoleBundle } from '../src/adapters/platform/console/sources.ts'
import { GROUNDS, iconOf, markOf } from './logic/mark.ts'

const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tocsin</title>
<link rel="icon" href="${iconOf(markOf(GROUNDS.calm))}">
<link rel="stylesheet" href="/console/assets/${style}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`

/** Builds the console into `dist/console`, and removes the build before it. */
export const buildConsole = (): Promise<void> =>
  buildBundle(consoleBundle, { entries: ['console/main.tsx', 'console/style/console.css'], onDemand: true, pageOf })
