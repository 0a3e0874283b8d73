/** So long the button is held. */
export const HOLD_MS = 2_000
/** So long the name of the app is held, for a silent alarm. */
export const SILENT_HOLD_MS = 3_000
export const PRESSES = 3
/** The presses of one call for help come within so long. */
const PRESSES_WITHIN_MS = 3_000

/** Moments at which the button was released, newest last. */
export type Presses = readonly number[]

/** The presses that still count, with one now. */
export function pressedAt(presses: Presses, now: number): Presses {
  return [...presses.filter((at) => now - at < PRESSES_WITHIN_MS && at <= now), now].slice(-PRESSES)
}

export const areEnough = (presses: Presses): boolean => presses.length >= PRESSES
