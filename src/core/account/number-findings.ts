/**
 * A doubt about a number. The number is stored all the same: the person may have no other. preparing.md#readiness.
 */
export type NumberCode = 'number_implausible' | 'number_is_own' | 'number_twice'

/** The warning as responses carry it. `message`: for developers, in English. */
export type NumberWarning = { readonly code: NumberCode; readonly field: 'phone'; readonly message: string }

export const numberMessages: Readonly<Record<NumberCode, string>> = {
  number_implausible:
    'has an unassigned country code, an impossible length, or a zero that is dialled only within the country',
  number_is_own: "is the number in the user's own profile",
  number_twice: 'is the number of another contact, too',
}

/** Whether an E.164 number can be dialled: its country code, its length, and no zero of the country's own behind it. */
export type IsPossible = (phone: string) => boolean

/** Whether a call to an E.164 number earns its owner money. */
export type IsPremium = (phone: string) => Promise<boolean>

/** The doubts about a contact's number. `own`: the profile's number. `others`: those of the user's other contacts. */
export function numberCodesOf(
  phone: string,
  { own, others }: { readonly own: string | null; readonly others: readonly string[] },
  isPossible: IsPossible,
): readonly NumberCode[] {
  return [
    ...(isPossible(phone) ? [] : (['number_implausible'] as const)),
    ...(phone === own ? (['number_is_own'] as const) : []),
    ...(others.includes(phone) ? (['number_twice'] as const) : []),
  ]
}

const warningsOf = (codes: readonly NumberCode[]): readonly NumberWarning[] =>
  codes.map((code) => ({ code, field: 'phone', message: numberMessages[code] }))

type Numbered = { readonly id: string; readonly phone: string }

/** The warnings about one contact of a user. */
export const contactWarnings = (
  { id, phone }: Numbered,
  { own, contacts }: { readonly own: string | null; readonly contacts: readonly Numbered[] },
  isPossible: IsPossible,
): readonly NumberWarning[] => {
  const others = contacts.flatMap((other) => (other.id === id ? [] : [other.phone]))
  return warningsOf(numberCodesOf(phone, { own, others }, isPossible))
}

/** The warnings about the number of a profile. */
export const profileWarnings = (
  phone: string | null,
  contacts: readonly Numbered[],
  isPossible: IsPossible,
): readonly NumberWarning[] =>
  phone === null
    ? []
    : warningsOf([
        ...(isPossible(phone) ? [] : (['number_implausible'] as const)),
        ...(contacts.some((contact) => contact.phone === phone) ? (['number_is_own'] as const) : []),
      ])
