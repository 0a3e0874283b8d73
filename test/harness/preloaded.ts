import type { Environment } from './command-line.ts'

/** What tests load into programs. `compile.ts` compiles all of it. */
export const LATER_CLOCK = new URL('../fixtures/later-clock.ts', import.meta.url).href
export const DIES_AT_COMMIT = new URL('../fixtures/dies-at-commit.ts', import.meta.url).href

/**
 * The environment that loads these into a program before anything else, already compiled: otherwise each thread of it
 * loads a compiler to remove their types, and a program that is killed keeps nothing of that for the next.
 */
export function preloading(...modules: readonly string[]): Environment {
  const { NODE_COMPILE_CACHE } = process.env
  return {
    NODE_OPTIONS: modules.map((module) => `--import=${module}`).join(' '),
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  }
}
