const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

type ElapsedPart = { readonly count: number; readonly unit: (typeof units)[number][0] }

/** A length of time in its largest unit and the one below: `2 h 30 min`, `45 min`, `1 d 3 h`. `ms`: 0 or more. */
export function elapsedParts(ms: number): readonly ElapsedPart[] {
  const largest = Math.max(
    0,
    units.findIndex(([, length]) => ms >= length),
  )
  let left = ms
  const parts = units.slice(largest, largest + 2).map(([unit, length]) => {
    const count = Math.floor(left / length)
    left -= count * length
    return { count, unit }
  })
  // Seconds are noise next to an hour or a minute.
  return parts.filter(({ count, unit }, place) => place === 0 || (count > 0 && unit !== 's'))
}
