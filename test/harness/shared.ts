import { after, before } from 'node:test'
import type { Ending } from './ending.ts'

/**
 * What `start` makes, once for all tests of a suite, and ended after them: to start it takes longer than most of them.
 * Call it inside the suite; tests get it from the function that it returns.
 */
export function shared<T>(start: (t: Ending) => Promise<T>): () => T {
  const ends: (() => unknown)[] = []
  let started: { readonly it: T } | null = null
  before(async () => {
    started = { it: await start({ after: (work) => ends.push(work) }) }
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return () => {
    if (started === null) throw new Error('what the tests share has not started')
    return started.it
  }
}
