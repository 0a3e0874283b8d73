import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DueIncidents } from '../../ports/store.ts'

type ClockShiftNeeds = {
  readonly store: Pick<DueIncidents, 'changePending'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'error'>
}

/**
 * Moves the stored deadlines along when the clock is set. A shift that the store did not accept stays pending, and
 * nothing may be claimed until it is stored.
 */
export class ClockShift {
  readonly #needs: ClockShiftNeeds
  #owedMs = 0
  readonly #underWay = new Set<Promise<void>>()

  constructor(needs: ClockShiftNeeds) {
    this.#needs = needs
  }

  /**
   * Records that the clock was set by `byMs`. This goes to the store at once, before any write with the new time.
   * `tried`: called once the store has answered, with success or failure.
   */
  add(byMs: number, tried: () => void): void {
    this.#owedMs += byMs
    const moving = this.#move()
      .catch((error) => this.#needs.log.error({ err: error, byMs }, 'could not move deadlines with the clock yet'))
      .finally(() => {
        this.#underWay.delete(moving)
        tried()
      })
    this.#underWay.add(moving)
  }

  /** Resolves when the stored deadlines are in the clock's time. Rejects if the store cannot move them. */
  async settle(): Promise<void> {
    await this.moved()
    if (this.#owedMs !== 0) await this.#move()
  }

  /** Whether the store is moving deadlines. */
  get isMoving(): boolean {
    return this.#underWay.size > 0
  }

  /** Whether the stored deadlines are in the clock's time. */
  get isSettled(): boolean {
    return !this.isMoving && this.#owedMs === 0
  }

  /** Resolves once no move is in flight. */
  async moved(): Promise<void> {
    while (this.isMoving) await Promise.all(this.#underWay)
  }

  async #move(): Promise<void> {
    const byMs = this.#owedMs
    this.#owedMs = 0
    try {
      await this.#needs.store.changePending({ type: 'shiftDeadlines', now: this.#needs.clock.now(), byMs })
    } catch (error) {
      this.#owedMs += byMs
      throw error
    }
  }
}
