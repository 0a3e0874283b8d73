/** A plain JSON object: what an ingest payload has to be to be usable at all. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
