import { isReached } from './delivery.ts'
import { isContactsRow } from './escalation.ts'
import { type Incident, type IncidentContact, isOpen, wasTaken } from './incident.ts'

/**
 * What a contact sees of an incident: `shown`, with the position as far as anyone may see it; `withheld`, everything
 * but the position; `over`, the page of an alarm that has ended.
 */
export type PositionAccess = 'shown' | 'withheld' | 'over'

/**
 * Whether this contact sees any position, on the page, in texts and in calls. It stays with the contacts of the
 * opening: somebody else may hold the person's phone, and name contacts of their own. rules.md#position-access.
 */
export function positionAccess(incident: Incident, contact: IncidentContact): PositionAccess {
  if (isWithheld(incident, contact)) return 'withheld'
  return isCutOff(incident, contact) ? 'over' : 'shown'
}

/** Whether they were to be alarmed when the incident opened, at this number. */
export const isOfOpening = ({ joined }: IncidentContact): boolean => joined === undefined

/** Whether they are no contact of the person any more, though they may keep their link. */
export const isRemoved = ({ gone, removedAt }: IncidentContact): boolean => gone === true || removedAt !== undefined

/**
 * Whether an entry of an open incident is now a stranger's, by what is kept of the contact (`isStranger`). What they
 * said in this incident stands in the entry itself, where an answer takes it back. rules.md#wrong-number.
 */
export function strangerMark(
  { isStranger: isOne, stopped, knowsAfterAll }: IncidentContact,
  { isStranger }: Pick<IncidentContact, 'isStranger'>,
): Pick<IncidentContact, 'isStranger'> {
  const isSaidHere = isOne === undefined && (stopped?.how === 'stranger' || knowsAfterAll === true)
  return isStranger && !isSaidHere ? { isStranger } : {}
}

/** Whether they wait for someone to let them see the position. */
export const isToBeShown = ({ openedAlone }: Incident, { joined }: IncidentContact): boolean =>
  joined?.by === 'session' && joined.shown === undefined && openedAlone === undefined

const isWithheld = (incident: Incident, contact: IncidentContact): boolean =>
  contact.isStranger === true ||
  contact.isStopped === true ||
  contact.stopped?.how === 'stranger' ||
  isToBeShown(incident, contact)

/** Whether an alarm of this incident has reached them. */
export const isTold = ({ deliveries, folded }: Incident, { contactId, acknowledgedAt }: IncidentContact): boolean =>
  acknowledgedAt !== null ||
  deliveries.some((row) => row.contactId === contactId && isContactsRow(row) && isReached(row)) ||
  folded.some((entry) => entry.contactId === contactId && entry.actuator === 'emergency_contacts' && entry.told)

/**
 * A contact whom the user's own session removed sees no more than the end, as soon as somebody else looks after the
 * person. The last one who was told keeps the position until an operator has taken the incident, or it has ended.
 */
function isCutOff(incident: Incident, contact: IncidentContact): boolean {
  if (contact.removedAt === undefined) return false
  if (!isOpen(incident) || wasTaken(incident)) return true
  return incident.contacts.some(
    (other) =>
      other !== contact &&
      isOfOpening(other) &&
      isTold(incident, other) &&
      !isWithheld(incident, other) &&
      other.stopped === undefined &&
      outlasts(incident, other, contact),
  )
}

/** Whether `other` is still a contact, or was removed later. */
function outlasts({ contacts }: Incident, other: IncidentContact, contact: IncidentContact): boolean {
  if (other.removedAt === undefined || !isOfOpening(contact)) return true
  const later = other.removedAt - (contact.removedAt ?? 0)
  return later > 0 || (later === 0 && contacts.indexOf(other) > contacts.indexOf(contact))
}
