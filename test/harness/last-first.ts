import type { Ending } from './ending.ts'

const begun = new WeakMap<Ending, (() => unknown)[]>()

/**
 * Like `t.after`, but what began last ends first, while the hooks of a test run in the order in which they were made: a
 * directory must not be removed while a store or a process still writes to it.
 */
export function endsLastFirst(t: Ending, work: () => unknown): void {
  const known = begun.get(t)
  if (known !== undefined) {
    known.push(work)
    return
  }
  const works = [work]
  begun.set(t, works)
  t.after(() => endAll(works))
}

/** Runs all of `works`, the last first, also where one rejects; then rejects with the first error. */
export async function endAll(works: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (let end = works.pop(); end !== undefined; end = works.pop()) {
    try {
      await end()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
