import { type Card, cardOf, isTicked } from '../../core/account/card.ts'
import { isComing, isConfirmed } from '../../core/incident/card-access.ts'
import type { Incident, IncidentContact } from '../../core/incident/incident.ts'
import type { ContactStore } from '../../ports/store.ts'
import type { Cards } from '../user/cards.ts'

/**
 * The card of the person for a contact who may see it; null for all others. Nothing is read for somebody who is not
 * coming. The page never fails because of it.
 */
export async function contactCard(
  { store, cards }: { readonly store: Pick<ContactStore, 'contacts'>; readonly cards: Pick<Cards, 'opened'> },
  incident: Incident,
  contact: IncidentContact,
): Promise<Card | null> {
  if (!isComing(incident, contact)) return null
  try {
    const known = (await store.contacts(incident.userId)).find(({ id }) => id === contact.contactId)
    if (known === undefined || !isConfirmed(contact, known)) return null
    const opened = await cards.opened(incident.userId)
    if ('refused' in opened || opened.card === null || !isTicked(opened.card, known)) return null
    return cardOf(opened.card)
  } catch {
    return null
  }
}
