export type Fields = Readonly<Record<string, unknown>>

/**
 * The log: one line per fact. `fields` say what the line is about (always `incidentId` if there is one). Phone numbers,
 * positions, names, texts, hashes, secrets and tokens never go in. A line that a client can trigger at will carries the
 * `userId`, by which it is rate-limited. `once` names what the line reports: the same report about that user is written
 * at most once an hour. It is not itself written.
 */
export type Log = {
  info(fields: Fields, message: string, once?: string): void
  warn(fields: Fields, message: string, once?: string): void
  error(fields: Fields, message: string, once?: string): void
}
