/** The jumps of the shared clock that the stored deadlines have followed: how many, and by how far in total. */
export type ClockJumps = { readonly count: number; readonly totalMs: number }

/** One reading of the shared clock. */
export type TimeReading = {
  /** Epoch ms. */
  readonly now: number
  readonly jumps: ClockJumps
  /** The newest moment until which a node found that it ran evenly; null: none has yet. */
  readonly confirmed: { readonly at: number; readonly isOwn: boolean } | null
}

/**
 * The clock that all nodes on one store share, and whose moments the stored deadlines are. When it jumps, one of them
 * moves the deadlines along. keeping.md#clock.
 */
export type SharedTime = {
  /** Waits for no write. */
  read(): Promise<TimeReading>
  /** Tells the other nodes that the clock ran evenly until `at`. Never rejects: this is only evidence. */
  confirm(at: number, jumps: ClockJumps): Promise<void>
  /**
   * The clock has jumped by `byMs`, and shows `now`: moves every deadline by as much, in one commit. Does nothing, and
   * resolves with null, if another node has done so since `jumps` were read, or saw the clock run evenly beyond
   * `passed`.
   */
  move(jump: {
    readonly jumps: ClockJumps
    readonly now: number
    readonly byMs: number
    readonly passed: number
  }): Promise<ClockJumps | null>
  /** Writes from now on are stamped by the clock as it is after these jumps. */
  follow(jumps: ClockJumps): void
}
