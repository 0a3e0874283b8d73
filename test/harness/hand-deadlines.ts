import type { TestContext } from 'node:test'

/**
 * Makes the deadlines of calls that begin from now on pass when the test says so: a real one may pass on a busy machine
 * before the request has been written.
 */
export function handDeadlines(t: TestContext): { pass(): void } {
  const pending = new Set<AbortController>()
  t.mock.method(AbortSignal, 'timeout', () => {
    const controller = new AbortController()
    pending.add(controller)
    return controller.signal
  })
  return {
    pass() {
      for (const controller of pending) controller.abort(new DOMException('the deadline has passed', 'TimeoutError'))
      pending.clear()
    },
  }
}
