/** The fields of a phone in the list. `leavesAtOnce`: newly added, so this phone may remove it at once. */
type Listed = { readonly id: string; readonly isThis: boolean; readonly leavesAtOnce: boolean }

/**
 * The phones that are pointed out: those that this one did not know when the list was last looked at, and those that
 * can still be removed at once. A look alone hides none of these: the one who added it may have looked.
 */
export const addedPhones = <P extends Listed>(phones: readonly P[], known: readonly string[]): P[] =>
  phones.filter(({ id, isThis, leavesAtOnce }) => !isThis && (!known.includes(id) || leavesAtOnce))
