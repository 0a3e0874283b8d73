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

/** What the service would not take, with why. It goes back into the field that it was typed in. */
export type Refused = Written & { readonly error: unknown }

/** What a field has after refused notes went back into it: they stand in front of what has been typed since. */
export const fieldWith = (refused: readonly Refused[], typed: string): string =>
  [...refused.filter(({ path }) => path === 'notes').map(({ body }) => String(body.text)), typed]
    .filter((text) => text !== '')
    .join('\n')
