/** A cell of a file that changes what is stored. `old`: null if nothing was there. Both are bounded. */
export type ChangedCell = { readonly column: string; readonly old: string | null; readonly new: string }

type Value = string | readonly string[] | null | undefined

const MAX_CHARACTERS = 120
/** Characters shown before the first difference, so that the reader finds it. */
const BEFORE = 20

const textOf = (value: Value): string => [value ?? []].flat().join(', ')

/** How a cell reads before and after. Long texts are shown from shortly before where they differ. */
export function changedCell(column: string, old: Value, given: Value): ChangedCell {
  const [before, after] = [[...textOf(old)], [...textOf(given)]]
  const differsAt = after.findIndex((character, n) => character !== before[n])
  const at = differsAt === -1 ? after.length : differsAt
  const isLong = Math.max(before.length, after.length) > MAX_CHARACTERS
  const from = isLong && at > BEFORE ? at - BEFORE : 0
  const part = (text: readonly string[]): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + MAX_CHARACTERS).join('')}${text.length > from + MAX_CHARACTERS ? '…' : ''}`
  return { column, old: before.length === 0 ? null : part(before), new: part(after) }
}
