import { isFallback } from '../account/fallback-contact.ts'
import type { Few, Incident, IncidentContact } from './incident.ts'

/** Whether an alarm restricted by `few` reaches this contact, one of `contacts` in priority order. */
export function isAmongFew(few: Few, contact: IncidentContact, contacts: readonly IncidentContact[]): boolean {
  switch (few) {
    case 'board':
      return false
    case 'fallback':
      return isFallback(contact)
    case 'first':
      return isFallback(contact) || (!contacts.some(isFirstInstead) && contact === contacts[0])
    default:
      return few satisfies never
  }
}

/** Somebody on call comes later, and takes nobody's place. */
const isFirstInstead = (contact: IncidentContact): boolean => isFallback(contact) && !contact.onCall

/** The incident once somebody has pressed: it alarms everyone. */
export function tellingAll(incident: Incident): Incident {
  const { few: _, ...all } = incident
  return all
}
