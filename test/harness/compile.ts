import { globSync } from 'node:fs'

/*
 * Loads all of the service, so that Node keeps it compiled for the processes that follow. In a fresh checkout each of
 * them would compile it again, and one that is killed leaves nothing behind.
 */

const SRC = new URL('../../src/', import.meta.url)
/** The program and its threads run as soon as they are loaded. */
const RUNS = /(^main|-thread)\.ts$/

for (const file of globSync('**/*.ts', { cwd: SRC }).sort()) if (!RUNS.test(file)) await import(new URL(file, SRC).href)
