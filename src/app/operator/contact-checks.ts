import type { User } from '../../core/account/profile.ts'
import type { ContactStore } from '../../ports/account-store.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AuditStore } from '../../ports/store.ts'
import { type Asked, askContact } from '../user/verify-contacts.ts'
import { type By, rowBy } from './by.ts'

type ContactCheckNeeds = {
  readonly store: AuditStore & Pick<ContactStore, 'contacts'>
  readonly ids: Pick<Ids, 'secret'>
  readonly perDay: number
  readonly onRequest?: () => void
}

/**
 * Asks a user's contact to confirm, at an operator's request: with the same limits as at the user's request, and an
 * audit row in the same transaction. preparing.md#verification.
 */
export const contactChecks =
  ({ store, ids, perDay, onRequest }: ContactCheckNeeds) =>
  async (user: Pick<User, 'id' | 'appId'>, contactId: string, by: By): Promise<Asked> => {
    const contact = (await store.contacts(user.id)).find(({ id }) => id === contactId)
    if (contact === undefined) return { refused: 'contact_not_found' }
    // Nothing changes, so there is no audit row.
    if (contact.verifiedAt !== null) return { status: 'verified' }
    const row = rowBy(by, { action: 'contact.verify', appId: user.appId, userId: user.id, subject: contactId })
    const asking = { store: store.audited(row), ids, perDay, now: by.now, ...(onRequest && { onRequest }) }
    return askContact(asking, user.id, contactId)
  }
