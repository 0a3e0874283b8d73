/** Incidents that are read and handed to the store at a time: as many as it commits together. */
const SLICE = 50

/** `ids` in their order, in pieces that are handled one after the other. */
export const slicesOf = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / SLICE) }, (_, n) => ids.slice(n * SLICE, (n + 1) * SLICE))
