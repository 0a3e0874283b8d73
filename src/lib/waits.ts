/** Resolves in the next turn of the event loop: anything that came in meanwhile, such as an alarm, is handled first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Does `piece` in the next turn of the event loop, after the alarms that have come in: SQLite reads on the thread that
 * they need. Rejects as `piece` does.
 */
export const inNextTurn = async <R>(piece: () => R | Promise<R>): Promise<R> => {
  await nextTurn()
  return piece()
}

/** `work`, whose calls wait for each other. */
export function oneAtATime<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve()
  return (...args) => {
    const next = last.then(() => work(...args))
    last = next.catch(() => {})
    return next
  }
}

/** Calls `run` once after `ms`, unless the function that it returns is called before. */
type Timer = { after(ms: number, run: () => void): () => void }

type InterruptibleWait = {
  /** Resolves after this many milliseconds of the clock, or at the next `interrupt`. One wait at a time. */
  wait(ms: number): Promise<void>
  /** Ends the current wait; without one it does nothing. */
  interrupt(): void
}

/** The wait of a loop that a stop, or news, must be able to end early. */
export function interruptibleWait(clock: Timer): InterruptibleWait {
  let interrupt = () => {}
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, resolve)
        interrupt = () => {
          cancel()
          resolve()
        }
      }),
    interrupt: () => interrupt(),
  }
}

/**
 * Does `work` again and again, one at a time: first after `firstMs` of the clock, then each time after as many
 * milliseconds as it resolves to, or no more after null. It must not reject. Returns what ends that, and resolves once
 * any work in progress is over.
 */
export function repeatedly(clock: Timer, firstMs: number, work: () => Promise<number | null>): () => Promise<void> {
  let isStopped = false
  let cancel = () => {}
  let working = Promise.resolve()
  const arm = (ms: number | null): void => {
    if (isStopped || ms === null) return
    cancel = clock.after(ms, () => {
      working = work().then(arm)
    })
  }
  arm(firstMs)
  return () => {
    isStopped = true
    cancel()
    return working
  }
}
