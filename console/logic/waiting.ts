/**
 * Requests that the service refuses until the operator signs in or enters another proof. `onAsked` is told
 * whether that is asked for.
 */
export function waitingFor(onAsked: (asked: boolean) => void) {
  let turn = 0
  let waiting: ((goOn: boolean) => void)[] = []
  return {
    /** The number of sign-ins or proofs so far. A request notes it when it is sent. */
    turn: (): number => turn,

    /**
     * After a refusal: resolves to whether the request is sent again, at once if the missing sign-in or proof was given
     * since `sent`. Answers cross: a late refusal would ask again for something just given.
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
