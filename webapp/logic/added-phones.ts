/** What is asked of a phone in the list. `enrolledAt`: ISO 8601. */
type Listed = { readonly id: string; readonly isThis: boolean; readonly enrolledAt: string }

/** As long as the service lets an older phone remove it at once. app.md#removing. */
const NEW_MS = 3 * 24 * 3_600_000

/** Whether this phone removes that one at once: it came later, less than three days ago. */
export function goesAtOnce(phone: Listed, phones: readonly Listed[], now: number): boolean {
  const [own, at] = [phones.find(({ isThis }) => isThis), Date.parse(phone.enrolledAt)]
  return own !== undefined && Date.parse(own.enrolledAt) < at && now - at < NEW_MS
}

/**
 * The phones that are pointed out: those that this one did not know when the list was last looked at, and those that
 * can still be removed at once. A look alone hides none of these: the one who added it may have looked.
 */
export const addedPhones = <P extends Listed>(phones: readonly P[], known: readonly string[], now: number): P[] =>
  phones.filter((phone) => !phone.isThis && (!known.includes(phone.id) || goesAtOnce(phone, phones, now)))
