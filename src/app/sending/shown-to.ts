import type { User } from '../../core/account/profile.ts'
import { linkAt } from '../../core/account/public-url.ts'
import { isAlarmedLast } from '../../core/incident/alarm-plan.ts'
import { shownPosition } from '../../core/incident/drill-shown.ts'
import { type IncidentView, incidentView } from '../../core/incident/event.ts'
import type { Incident, IncidentContact } from '../../core/incident/incident.ts'
import { contactPlacesOf, contactsSee, placesOf, relayedPositionOf } from '../../core/incident/places.ts'
import { positionAccess } from '../../core/incident/position-access.ts'
import type { Position } from '../../core/ingest/position.ts'
import type { Facts } from '../../core/message/facts.ts'
import type { IncidentRecord } from '../../ports/store.ts'

/** Chat and webhook (`contact` null) see everything. rules.md#position-access. */
export const seesPlace = (incident: Incident, contact: IncidentContact | null): boolean =>
  contact === null || positionAccess(incident, contact) === 'shown'

/**
 * The tracking link. Null if the contact does not know the person, if the page would only say that the alarm is over,
 * or if nobody could open the link.
 */
export const linkFor = (incident: Incident, contact: IncidentContact | null, publicUrl: string): string | null =>
  contact === null ||
  isAlarmedLast(contact) ||
  contact.stopped?.how === 'stranger' ||
  positionAccess(incident, contact) === 'over'
    ? null
    : linkAt(publicUrl, `/t/${contact.token}`)

/** The person's number, in place of a link that nobody could open. In a silent emergency nobody may call. */
export function numberFor(
  incident: Incident,
  contact: IncidentContact | null,
  { user, publicUrl }: { readonly user: User; readonly publicUrl: string },
): Pick<Facts, 'phone'> {
  const isLinked = linkAt(publicUrl, '') !== null
  if (isLinked || contact === null || user.phone === null || incident.silent) return {}
  return positionAccess(incident, contact) === 'shown' ? { phone: user.phone } : {}
}

/** The positions that this reader sees, the most likely first. */
export const placesFor = (record: IncidentRecord, contact: IncidentContact | null): readonly Position[] => {
  if (!seesPlace(record.incident, contact)) return []
  return contact === null ? placesOf(record.incident, record) : contactPlacesOf(record.incident, record)
}

/** The incident as a webhook or a contact's gateway receives it. */
export function viewFor(record: IncidentRecord, contact: IncidentContact | null): IncidentView {
  const { incident, lastPosition } = record
  if (contact !== null && (!seesPlace(incident, contact) || contactsSee(incident) !== 'all')) {
    return incidentView(incident, placesFor(record, contact)[0] ?? null)
  }
  return incidentView(incident, shownPosition(incident, lastPosition), relayedPositionOf(record))
}
