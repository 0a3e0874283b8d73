/** An age in the largest unit that is precise enough: `{ count: 4, unit: 'min' }`. */
export type Age = { readonly count: number; readonly unit: 's' | 'min' | 'h' | 'd' }

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** Two of the larger unit before it is used: 90 minutes say more than one hour. */
export function ageOf(ms: number): Age {
  for (const [unit, length] of units) {
    if (ms >= 2 * length) return { count: Math.floor(ms / length), unit }
  }
  return ms >= 60_000 ? { count: 1, unit: 'min' } : { count: Math.max(0, Math.floor(ms / 1000)), unit: 's' }
}

/** The minutes and seconds until something: `4:05`, `0:00` once it is due. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** A `Date` header has whole seconds, so a smaller offset cannot be measured. */
const SECOND_MS = 1000
const TOLERANCE_MS = 1000

/**
 * The server's clock minus the browser's, after an answer that says `serverMs` to a request of `sentMs`, heard at
 * `heardMs` by the browser. It keeps the last one while that is possible: ages would jump by a second with each answer,
 * and by as long as an answer takes where the network is slow.
 */
export function clockOffset(last: number | null, serverMs: number, sentMs: number, heardMs: number): number {
  const [least, most] = [serverMs - heardMs - TOLERANCE_MS, serverMs + SECOND_MS - sentMs + TOLERANCE_MS]
  if (last !== null && last >= least && last <= most) return last
  return Math.round((least + most) / 2)
}
