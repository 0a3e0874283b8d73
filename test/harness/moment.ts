let moments = 0

/** An event time of now that equals no other one of this process: nanoseconds count. */
export const newMoment = (): string =>
  new Date().toISOString().replace('Z', `${String(++moments % 1_000_000).padStart(6, '0')}Z`)
