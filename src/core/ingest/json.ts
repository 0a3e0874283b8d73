/** Whether a value is a plain JSON object, the minimum for a usable ingest payload. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
