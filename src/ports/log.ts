type Fields = Readonly<Record<string, unknown>>

/**
 * The log: one line a fact. `fields` name what it is about (`incidentId` always, where there is one). Phones, positions, names, texts,
 * hashes, secrets and tokens never go in.
 */
export type Log = {
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
}
