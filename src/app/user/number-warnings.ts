import type { Contact } from '../../core/account/contact.ts'
import {
  contactWarnings,
  type IsPossible,
  type NumberWarning,
  profileWarnings,
} from '../../core/account/number-findings.ts'
import type { AccountStore, ContactStore } from '../../ports/store.ts'

/**
 * The doubts about a contact's number, or with `null` the profile's, as now stored. Empty if that cannot be read: the
 * number is stored all the same. protocol.md#contacts.
 */
export async function numberWarnings(
  {
    store,
    isPossible,
  }: {
    readonly store: Pick<AccountStore, 'user'> & Pick<ContactStore, 'contacts'>
    readonly isPossible: IsPossible
  },
  userId: string,
  contact: Contact | null,
): Promise<readonly NumberWarning[]> {
  const found = await Promise.all([store.user(userId), store.contacts(userId)]).catch(() => null)
  if (found === null) return []
  const [user, contacts] = found
  const own = user?.phone ?? null
  return contact === null
    ? profileWarnings(own, contacts, isPossible)
    : contactWarnings(contact, { own, contacts }, isPossible)
}
