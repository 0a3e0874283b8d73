import type { Clock } from '../ports/clock.ts'

type InterruptibleWait = {
  /** Resolves after so many milliseconds of the clock, or at the next `interrupt`. One wait at a time. */
  wait(ms: number): Promise<void>
  /** Ends the wait that is under way. Without one it does nothing: what waits later waits its whole time. */
  interrupt(): void
}

/** The wait of a loop that a stop, or news, must be able to end early. */
export function interruptibleWait(clock: Pick<Clock, 'after'>): InterruptibleWait {
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
