/**
 * Encodes a place in a list ordered by `parts` as the opaque cursor that pages hand out. `list` tells the cursors of
 * different lists apart.
 */
export function cursorOf(list: string, parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([list, ...parts])).toString('base64url')
}

/**
 * The parts of a cursor of that list, or null for anything that `cursorOf` did not make. `types`: the type of each
 * part.
 */
export function readCursor(
  cursor: string,
  list: string,
  types: readonly ('number' | 'string')[],
): readonly (string | number)[] | null {
  const [name, ...parts] = parse(cursor)
  const fits =
    name === list &&
    parts.length === types.length &&
    parts.every(
      (part, index) => typeof part === types[index] && (typeof part !== 'number' || Number.isSafeInteger(part)),
    )
  return fits && cursorOf(list, parts as (string | number)[]) === cursor ? (parts as (string | number)[]) : null
}

function parse(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
