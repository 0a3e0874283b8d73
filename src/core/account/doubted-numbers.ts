import type { Contact } from './contact.ts'
import { type IsPossible, type NumberCode, numberCodesOf, numberMessages } from './number-findings.ts'
import type { PersonLine } from './people-lines.ts'
import type { User } from './profile.ts'

/** A number in a column of a file that looks wrong. It is imported all the same: the person may have no other. */
export type DoubtedNumber = { readonly column: string; readonly code: NumberCode; readonly message: string }

/** Doubts about the numbers that a line brings. `user` null: the person is new. `known`: the contacts who are there. */
export function doubtedNumbers(
  { fields, contacts }: Pick<PersonLine, 'fields' | 'contacts'>,
  { user, known }: { readonly user: Pick<User, 'phone'> | null; readonly known: readonly Pick<Contact, 'phone'>[] },
  isPossible: IsPossible,
): readonly DoubtedNumber[] {
  const before = user?.phone ?? null
  const own = fields.phone ?? before
  const isKnown = (phone: string): boolean => known.some((contact) => contact.phone === phone)
  const doubts = (column: string, phone: string, as: string | null): readonly DoubtedNumber[] =>
    numberCodesOf(phone, { own: as, others: [] }, isPossible).map((code) => ({
      ...{ column, code, message: numberMessages[code] },
    }))
  // What stands already is not doubted again.
  const isOther = own !== null && own !== before
  return [
    ...(isOther ? doubts('phone', own, isKnown(own) ? own : null) : []),
    ...contacts
      .filter(({ phone }) => isOther || !isKnown(phone))
      .flatMap(({ phone, column }) => doubts(`${column}Phone`, phone, own)),
  ]
}
