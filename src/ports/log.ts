export type Fields = Readonly<Record<string, unknown>>

/**
 * The log: one line a fact. `fields` name what it is about (`incidentId` always, where there is one).
 * Phones, positions, names, texts, hashes, secrets and tokens never go in. A line that a client can cause at
 * will has the `userId`, by which it is bounded; `once` names what is said of that user once an hour at
 * most, and is not written itself.
 */
export type Log = {
  info(fields: Fields, message: string, once?: string): void
  warn(fields: Fields, message: string, once?: string): void
  error(fields: Fields, message: string, once?: string): void
}
