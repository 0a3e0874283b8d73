import { isReached } from './delivery.ts'
import { isContactsRow } from './escalation.ts'
import { type Incident, type IncidentContact, isOpen, wasTaken } from './incident.ts'

/**
 * A contact's view of an incident: `shown`, with the position; `withheld`, everything but the position; `over`, the
 * page of an alarm that has ended.
 */
export type PositionAccess = 'shown' | 'withheld' | 'over'

/**
 * Whether this contact sees any position, on the page, in texts and in calls. Only contacts of the opening do by
 * default: somebody else may hold the person's phone and add contacts of their own. rules.md#position-access.
 */
export function positionAccess(incident: Incident, contact: IncidentContact): PositionAccess {
  if (isWithheld(incident, contact)) return 'withheld'
  return isCutOff(incident, contact) ? 'over' : 'shown'
}

/** Whether the contact was to be alarmed, at this number, when the incident opened. */
export const isOfOpening = ({ joined }: IncidentContact): boolean => joined === undefined

/** Whether the person no longer has this contact, who may still have their link. */
export const isRemoved = ({ gone, removedAt }: IncidentContact): boolean => gone === true || removedAt !== undefined

/**
 * The stranger mark of an entry in an open incident, from the stored contact's `isStranger`. A statement made in this
 * incident is kept in the entry itself, where an answer lifts it. sms.md#wrong-number.
 */
export function strangerMark(
  { isStranger: isOne, stopped, knowsAfterAll }: IncidentContact,
  { isStranger }: Pick<IncidentContact, 'isStranger'>,
): Pick<IncidentContact, 'isStranger'> {
  const isSaidHere = isOne === undefined && (stopped?.how === 'stranger' || knowsAfterAll === true)
  return isStranger && !isSaidHere ? { isStranger } : {}
}

/** Whether they wait for somebody to show them the position. */
export const awaitsPosition = ({ openedAlone }: Incident, { joined }: IncidentContact): boolean =>
  joined?.by === 'session' && joined.shown === undefined && openedAlone === undefined

const isWithheld = (incident: Incident, contact: IncidentContact): boolean =>
  contact.isStranger === true ||
  contact.isStopped === true ||
  contact.stopped?.how === 'stranger' ||
  awaitsPosition(incident, contact)

/** Whether an alarm of this incident has reached them. */
export const isTold = ({ deliveries, folded }: Incident, { contactId, acknowledgedAt }: IncidentContact): boolean =>
  acknowledgedAt !== null ||
  deliveries.some((row) => row.contactId === contactId && isContactsRow(row) && isReached(row)) ||
  folded.some((entry) => entry.contactId === contactId && entry.actuator === 'emergency_contacts' && entry.told)

/**
 * Whether a removed contact sees only the end. One whom the user's own session removed does once somebody else looks
 * after the person: the last contact who was told keeps the position until an operator has taken the incident or it
 * has ended. One whom an operator removed does at once.
 */
function isCutOff(incident: Incident, contact: IncidentContact): boolean {
  if (contact.removedAt === undefined) return false
  if (!isOpen(incident) || wasTaken(incident) || contact.removedByOperator) return true
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
