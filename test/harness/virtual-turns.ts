import { decideTurns, NEW_SHARED_ACCOUNT, type SharedAccount } from '../../src/core/pacing/shared-account.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { TurnStore } from '../../src/ports/node-store.ts'

/** Turns that have been asked for. */
export type AskedTurns = {
  /** Resolves when none is waited for any more. */
  answered(): Promise<void>
  readonly areWaiting: boolean
}

/**
 * Lets `turns` decide by the clock of the test: the database's own clock runs on while the virtual one stands still, so
 * a second at the provider would take any number of virtual ones. Answers as late as a database does, never before
 * `takeTurns` has returned. The database's accounts have separate tests (provider-turns.test.ts). Undefined: the store
 * has none.
 */
export function onVirtualClock(turns: TurnStore | undefined, clock: Pick<Clock, 'now'>): AskedTurns {
  const accounts = new Map<string, SharedAccount>()
  const asked = new Set<Promise<unknown>>()
  if (turns !== undefined) {
    turns.takeTurns = (name, request) => {
      const answering = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        const before = accounts.get(name) ?? NEW_SHARED_ACCOUNT
        const { account, answer } = decideTurns(before, { ...request, node: 'the only one' }, clock.now())
        accounts.set(name, account)
        return answer
      })
      asked.add(answering)
      // In a separate task: the caller continues before it counts as answered.
      void answering.then(() => setImmediate(() => asked.delete(answering)))
      return answering
    }
  }
  return {
    async answered() {
      while (asked.size > 0) await new Promise((resolve) => setImmediate(resolve))
    },
    get areWaiting() {
      return asked.size > 0
    },
  }
}
