import { type Account, NEW_ACCOUNT, shiftedAccount, spend } from '../../core/pacing/account.ts'
import type { TurnAnswer, TurnRequest } from '../../core/pacing/shared-account.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { TurnStore } from '../../ports/node-store.ts'
import { StoreError } from '../../ports/store.ts'

/** The source of a lane's turns. */
export type TurnSource = {
  /** Calls `answer` once, before returning if no other node uses the account. The next request has to wait for it. */
  ask(request: TurnRequest, answer: (answer: TurnAnswer) => void): void
}

/** An account used by this node alone. */
class LocalAccount implements TurnSource {
  readonly #clock: Clock
  #account: Account = NEW_ACCOUNT

  constructor(clock: Clock) {
    this.#clock = clock
    // If the clock is set back, the lane must not stand still until it catches up.
    clock.onShift((byMs) => {
      this.#account = shiftedAccount(this.#account, byMs)
    })
  }

  ask(request: TurnRequest, answer: (answer: TurnAnswer) => void): void {
    const now = this.#clock.now()
    const { account, granted } = spend(this.#account, request, { now })
    this.#account = account
    const nextInMs = account.nextAt - now
    answer({ granted, askAgainMs: nextInMs, nextInMs, pausedMs: account.pausedUntil - now })
  }

  /** The rest of the provider's pause, as far as this node knows. */
  get pausedMs(): number {
    return Math.max(0, this.#account.pausedUntil - this.#clock.now())
  }

  /** Continues from the state of the shared account. */
  follow({ nextInMs, pausedMs }: TurnAnswer): void {
    const now = this.#clock.now()
    this.#account = { nextAt: now + nextInMs, pausedUntil: now + pausedMs }
  }
}

export const localAccount = (clock: Clock): TurnSource => new LocalAccount(clock)

/** How long the store may take to answer. A message that is already claimed must not wait any longer. */
const PATIENCE_MS = SECOND
/** How long the store is then not asked. */
const AWAY_MS = SECOND

/**
 * The account that all nodes share, under its `name` in the store. While the store does not answer, this node continues
 * alone from the last answer: nothing new can be claimed then, and claimed messages must not wait.
 */
export function sharedAccount(
  name: string,
  { store, clock, log }: { readonly store: TurnStore; readonly clock: Clock; readonly log: Log },
): TurnSource {
  const own = new LocalAccount(clock)
  let isAway = false
  /** Turns granted too late to be used. */
  let late = 0
  /** Whether the store has not yet been told of a pause. */
  let isPauseUnreported = false

  const goAway = (error: unknown): void => {
    log.warn({ account: name, err: error }, 'no turns from the database; sending at the rate of this node alone')
    isAway = true
    clock.after(AWAY_MS, () => {
      isAway = false
    })
  }

  return {
    ask(request, answer) {
      isPauseUnreported ||= request.pauseMs > 0
      if (isAway) return own.ask(request, answer)
      let isOver = false
      const alone = (error: unknown): void => {
        if (isOver) return
        isOver = true
        // A stopping service claims nothing more.
        if (!(error instanceof StoreError && error.kind === 'closed')) goAway(error)
        own.ask(request, answer)
      }
      const cancel = clock.after(PATIENCE_MS, () => alone(new Error('the database takes too long')))
      const givenBack = late
      late = 0
      const pauseMs = isPauseUnreported ? Math.max(request.pauseMs, own.pausedMs) : 0
      store.takeTurns(name, { ...request, used: request.used - givenBack, pauseMs }).then(
        (answered) => {
          cancel()
          isPauseUnreported = false
          if (isOver) {
            late += answered.granted
            return
          }
          isOver = true
          own.follow(answered)
          answer(answered)
        },
        (error) => {
          cancel()
          late += givenBack
          alone(error)
        },
      )
    },
  }
}
