/** How much is done. Times in milliseconds. */
export type Size = {
  readonly kills: number
  readonly cuts: number
  /** How long an attack, or a fault of the disk, lasts. */
  readonly attackMs: number
  /** How long B's presses are waited for when it is over. */
  readonly reliefMs: number
  /** After that a part is given up. */
  readonly patienceMs: number
}

export const full: Size = { kills: 100, cuts: 10, attackMs: 8_000, reliefMs: 60_000, patienceMs: 480_000 }

/** For a look whether everything still works: its figures say little. */
export const quick: Size = { kills: 1, cuts: 1, attackMs: 1_000, reliefMs: 15_000, patienceMs: 100_000 }
