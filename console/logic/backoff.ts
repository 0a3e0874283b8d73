const PAUSES_MS = [500, 1000, 2000, 5000, 10_000]

/** From its first event on. A stream that lasted this long was sound: its end says nothing of the next one. */
const STEADY_MS = 5000

/** The number of failed streams in a row, after one that lasted `livedMs`. */
export const failuresAfter = (failures: number, livedMs: number): number => (livedMs >= STEADY_MS ? 0 : failures + 1)

/**
 * The wait before the next stream. `random`, 0 to 1, spreads the screens of a room, which lost theirs at the same
 * moment: by a quarter either way.
 */
export function pauseMs(failures: number, random: number): number {
  const pause = PAUSES_MS[Math.min(Math.max(failures - 1, 0), PAUSES_MS.length - 1)]!
  return pause * (0.75 + random / 2)
}
