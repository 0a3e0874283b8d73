#!/usr/bin/env node
import { existsSync, statSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Plain JavaScript that every Node can read: it has to report the fault before anything needs Node 24.
const NEEDED = 24

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `error: Tocsin needs Node ${NEEDED}, but this is ${process.version}; bin/tocsin, npx tocsin and npm start use the one that npm ci installs in node_modules`,
  )
  process.exit(1)
}
cacheCompiledCode()
const built = new URL('../js/main.js', import.meta.url)
await import(existsSync(built) ? built : '../src/main.ts')

/**
 * Keeps what Node has compiled beside the dependencies, for the next command: most of what a command takes is reading
 * its own code. Only where they belong to this user, who could change the code itself: never in a place where others
 * could put some for us, such as /tmp, nor so that another user's npm finds files that it cannot remove. Without it
 * everything works, and takes longer.
 */
function cacheCompiledCode() {
  try {
    const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
    if (process.env.NODE_COMPILE_CACHE || statSync(modules).uid !== process.getuid?.()) return
    const directory = `${modules}/.cache/tocsin`
    module.enableCompileCache(directory)
    // For the thread that writes.
    process.env.NODE_COMPILE_CACHE = directory
  } catch {
    // No such directory.
  }
}
