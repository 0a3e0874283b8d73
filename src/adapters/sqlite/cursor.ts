type Kind = 'number' | 'string'

/** A page's place as opaque text: the sort key of the last item, so that it stays right while new rows arrive. */
export const cursorOf = (place: readonly (number | string)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

/** The place that a cursor names, or null for what is none of `kinds`. */
export function placeOf(cursor: string, kinds: readonly Kind[]): readonly (number | string)[] | null {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (!Array.isArray(place) || place.length !== kinds.length) return null
    const fits = place.every(
      (part, index) => typeof part === kinds[index] && (typeof part === 'string' || Number.isSafeInteger(part)),
    )
    return fits && cursorOf(place) === cursor ? place : null
  } catch {
    return null
  }
}
