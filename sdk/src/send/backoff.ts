const FIRST_MS = 1_000
const LONGEST_MS = 30_000
/** A proxy that says more is not believed: it knows nothing of alarms. */
const LONGEST_ASKED_MS = 300_000

/**
 * How long to wait after the attempt of that number, from 0, has failed: 1, 2, 4 … 30 s, a fifth more or less, so that
 * phones that lost the same network do not come back at one moment. `askedMs`: `Retry-After`. `random`: 0 to 1.
 */
export function delayMs(attempt: number, askedMs: number, random: number): number {
  const ms = Math.round(Math.min(FIRST_MS * 2 ** Math.min(attempt, 9), LONGEST_MS) * (0.8 + 0.4 * random))
  return Math.max(ms, Math.min(askedMs, LONGEST_ASKED_MS))
}

/** `Retry-After`, seconds or a date, in ms. 0: there is none, or none that can be read. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null || header.trim() === '') return 0
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now
  return Math.max(ms || 0, 0)
}
