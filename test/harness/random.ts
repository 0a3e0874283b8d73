import { SEED } from './seed.ts'

/**
 * Numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed (mulberry32), so that a failed run can be
 * repeated.
 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Random numbers for a test: the same in every run, unless a seed is given. */
export const seeded = (): (() => number) => randomFrom(SEED)
