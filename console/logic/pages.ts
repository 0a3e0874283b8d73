import type { Listed } from '../api/types.ts'

/** This many pages in a row without anything to show are read for one click; then another click is needed. */
const MAX_EMPTY = 20

/**
 * The next page that shows something, from `cursor` on: a page may be empty though more follow, because the API looks
 * at a bounded number of rows for each. `cursor` of the answer: where to go on, null at the end.
 */
export async function nextItems<T>(
  cursor: string | null,
  read: (cursor: string | null) => Promise<Listed<T>>,
): Promise<{ readonly items: readonly T[]; readonly cursor: string | null }> {
  let at = cursor
  for (let empty = 0; ; empty++) {
    const { items, hasMore, nextCursor } = await read(at)
    at = hasMore ? nextCursor : null
    if (items.length > 0 || at === null || empty === MAX_EMPTY) return { items, cursor: at }
  }
}
