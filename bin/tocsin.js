#!/usr/bin/env node
import { statSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// Plain JavaScript that every Node can read: it has to say what is wrong before anything needs Node 24.
const NEEDED = 24
/**
 * After how many modules Node lets go of what it has read from the cache, which it keeps until it writes what is new.
 * Freed only when all are loaded, it would leave gaps all over the memory of the process: 8 MB of a service at rest.
 */
const RELEASE_CACHED_CODE_EVERY = 50

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `error: Tocsin needs Node ${NEEDED}, but this is ${process.version}; bin/tocsin, npx tocsin and npm start use the one that npm ci installs in node_modules`,
  )
  process.exit(1)
}
cacheCompiledCode()
resolveOwnFiles()
await import('../src/main.ts')

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

/**
 * Tells Node where one file of the service finds another, which the import says itself: its path, complete. On its own
 * Node would look whether the file is there, follow links and read the package it belongs to, for each of many
 * hundreds: a fifteenth of the processor time of a start.
 *
 * The messages of zod in 64 languages, which its index imports and nothing here asks for, are not loaded. It has its
 * English ones from elsewhere.
 */
function resolveOwnFiles() {
  let resolved = 0
  module.registerHooks({
    resolve(specifier, context, next) {
      if (++resolved % RELEASE_CACHED_CODE_EVERY === 0) module.flushCompileCache()
      if (specifier === '../locales/index.js' && context.parentURL?.includes('/node_modules/zod/')) {
        return { url: 'data:text/javascript,', format: 'module', shortCircuit: true }
      }
      const isOwn = specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.endsWith('.ts')
      if (!isOwn) return next(specifier, context)
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
    },
  })
}
