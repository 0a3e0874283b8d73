/**
 * Requests that the service refuses until the operator signs in or enters another proof. `onAsked` is told
 * whether that is asked for.
 */
export function waitingFor(onAsked: (asked: boolean) => void) {
  let turn = 0
  let waiting: ((goOn: boolean) => void)[] = []
  return {
    /** How often it was done. A request notes it when it is sent. */
    turn: (): number => turn,

    /**
     * After a refusal: resolves to whether the request is sent again, at once if what it lacked was done since `sent`.
     * Answers cross: a late refusal would ask again for what was just given.
     */
    refused(sent: number): Promise<boolean> {
      if (sent !== turn) return Promise.resolve(true)
      onAsked(true)
      return new Promise((resolve) => waiting.push(resolve))
    },

    /** Requests that wait are sent once more, or given up. */
    settle(done: boolean): void {
      if (done) turn += 1
      onAsked(false)
      const resumed = waiting
      waiting = []
      for (const resume of resumed) resume(done)
    },
  }
}
