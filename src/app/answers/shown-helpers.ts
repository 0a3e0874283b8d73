import { isFallback } from '../../core/account/fallback-contact.ts'
import type { Incident, IncidentContact } from '../../core/incident/incident.ts'
import type { ContactStore } from '../../ports/store.ts'

type Answer = { readonly name: string; readonly kind: string; readonly at: number }

/**
 * The part of the others' `answers` (earliest first) that a contact sees. A contact who has neither confirmed nor
 * answered may be a wrong number, and a silent emergency shows no names at all: then only the first helper's kind of
 * help is shown, without the name. rules.md#telling-others.
 */
export async function shownHelpers<A extends Answer>(
  store: Pick<ContactStore, 'contacts'>,
  incident: Incident,
  contact: IncidentContact,
  answers: readonly A[],
): Promise<{
  readonly confirmations: readonly A[]
  readonly unable: readonly { readonly name: string; readonly at: number }[]
}> {
  const helpers = answers.filter(({ kind }) => kind !== 'unable')
  if (answers.length > 0 && !(await maySeeHelpers(store, incident, contact))) {
    return { confirmations: helpers.slice(0, 1).map((first) => ({ ...first, name: '' })), unable: [] }
  }
  return {
    confirmations: helpers,
    unable: answers.flatMap(({ kind, name, at }) => (kind === 'unable' ? [{ name, at }] : [])),
  }
}

async function maySeeHelpers(
  store: Pick<ContactStore, 'contacts'>,
  { silent, userId }: Incident,
  contact: IncidentContact,
): Promise<boolean> {
  if (silent) return false
  if (contact.acknowledgedAt !== null || contact.response !== undefined || isFallback(contact)) return true
  const known = (await store.contacts(userId)).find(({ id }) => id === contact.contactId)
  return known !== undefined && known.verifiedAt !== null
}
