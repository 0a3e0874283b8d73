import type { ClockJumps } from '../../../../ports/shared-time.ts'

/** The jumps that this process has followed: what it hands to the store is stamped accordingly. */
export class Era {
  #jumps: ClockJumps | null = null

  /** Null: nothing in this process follows the clock of the server. */
  get jumps(): ClockJumps | null {
    return this.#jumps
  }

  follow(jumps: ClockJumps): void {
    this.#jumps = jumps
  }
}
