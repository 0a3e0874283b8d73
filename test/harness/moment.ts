let moments = 0

/** The current time as an event time that is unique in this process, to the nanosecond. */
export const newMoment = (): string =>
  new Date().toISOString().replace('Z', `${String(++moments % 1_000_000).padStart(6, '0')}Z`)
