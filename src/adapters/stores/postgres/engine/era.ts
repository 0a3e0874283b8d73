import type { ClockJumps } from '../../../../ports/shared-time.ts'

/** The clock jumps that this process has followed: its writes are stamped accordingly. */
export class Era {
  #jumps: ClockJumps | null = null

  /** Null: this process does not follow the clock of the server. */
  get jumps(): ClockJumps | null {
    return this.#jumps
  }

  follow(jumps: ClockJumps): void {
    this.#jumps = jumps
  }
}
