/** What an operator wrote while there was no connection. `at`: when (epoch ms, the server's clock). */
export type Written = {
  readonly incidentId: string
  readonly path: 'notes' | 'called-back'
  readonly body: Readonly<Record<string, unknown>>
  readonly at: number
}

/** More than anybody writes while a network is away. */
export const MAX_WRITTEN = 50

/** The line with one more at its end; null: it is full, and what was written stays where it was typed. */
export const withWritten = (line: readonly Written[], one: Written): readonly Written[] | null =>
  line.length >= MAX_WRITTEN ? null : [...line, one]

/** As it is sent: with the time at which it was written. */
export const sentBody = ({ body, at }: Written): Readonly<Record<string, unknown>> => ({
  ...body,
  writtenAt: new Date(at).toISOString(),
})
