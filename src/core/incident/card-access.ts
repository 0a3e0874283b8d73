import type { Contact } from '../account/contact.ts'
import { type Incident, type IncidentContact, isUsersOpen } from './incident.ts'
import { isRemoved, positionAccess } from './position-access.ts'

/**
 * Whether the card of the person is shown to anyone at all: only while a real alarm is open that the person or an own
 * source has raised. Anyone could raise one through their own gateway, to read the card. rules.md#card.
 */
export const isCardShown = (incident: Incident): boolean =>
  isUsersOpen(incident) && incident.raisedByOthers === undefined

/**
 * Whether this contact, if ticked, sees the card, as far as the incident knows: they are coming, see the position, and
 * are still a contact.
 */
export const isComing = (incident: Incident, contact: IncidentContact): boolean =>
  isCardShown(incident) &&
  contact.acknowledgedAt !== null &&
  contact.response?.kind === 'coming' &&
  contact.stopped === undefined &&
  !isRemoved(contact) &&
  positionAccess(incident, contact) === 'shown'

/**
 * The same, by the contact as stored now. The link of an earlier number, which may be somebody else's, shows nothing.
 */
export const isConfirmed = (
  { contactId, phone }: IncidentContact,
  known: Pick<Contact, 'id' | 'phone' | 'verifiedAt' | 'declinedAt' | 'stoppedAt'>,
): boolean =>
  known.id === contactId &&
  known.phone === phone &&
  known.verifiedAt !== null &&
  known.declinedAt === null &&
  known.stoppedAt === null
