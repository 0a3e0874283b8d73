import type { TestContext } from 'node:test'

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32): a run that failed can be told again. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Random numbers for a test. It says with which seed; `TEST_SEED` brings a run back. */
export function seeded(t: TestContext): () => number {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
  t.diagnostic(`TEST_SEED=${seed}`)
  return randomFrom(seed)
}
