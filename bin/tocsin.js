#!/usr/bin/env node
// Plain JavaScript that every Node can read: it has to say what is wrong before anything needs Node 24.
const NEEDED = 24

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `error: Tocsin needs Node ${NEEDED} and this is ${process.version}; bin/tocsin, npx tocsin and npm start use the one that npm ci puts into node_modules`,
  )
  process.exit(1)
}
await import('../src/main.ts')
