/** A note or tick written offline. `at`: when (epoch ms, the server's clock). */
export type Written = {
  readonly incidentId: string
  readonly path: 'notes' | 'called-back'
  readonly body: Readonly<Record<string, unknown>>
  readonly at: number
}

/** More than anybody writes during an outage of the network. */
export const MAX_WRITTEN = 50

/** The line with one more at its end; null: it is full, and the text stays in its field. */
export const withWritten = (line: readonly Written[], one: Written): readonly Written[] | null =>
  line.length >= MAX_WRITTEN ? null : [...line, one]

/** As it is sent: with the time at which it was written. */
export const sentBody = ({ body, at }: Written): Readonly<Record<string, unknown>> => ({
  ...body,
  writtenAt: new Date(at).toISOString(),
})

/** A refused note with the reason. It goes back into the field that it was typed in. */
export type Refused = Written & { readonly error: unknown }

/** The contents of a field with refused notes back in it, in front of the text typed since. */
export const fieldWith = (refused: readonly Refused[], typed: string): string =>
  [...refused.filter(({ path }) => path === 'notes').map(({ body }) => String(body.text)), typed]
    .filter((text) => text !== '')
    .join('\n')
