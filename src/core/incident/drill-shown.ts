import { isoAt } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import type { Drill, Incident } from './incident.ts'

/** Where nobody is: everyone sees that it is invented, and no map leads to a person. */
export const INVENTED_PLACE = { latitude: 0, longitude: 0 }

/** What messages and pages show. That of a drill is invented, whatever is known of the user. rules.md#drills. */
export const shownPosition = ({ drill, openedAt }: Incident, lastPosition: Position | null): Position | null =>
  drill === undefined ? lastPosition : { ...INVENTED_PLACE, altitude: null, at: isoAt(openedAt) }

/** Whether nothing of it may reach a contact: texts and calls go to the outbox, and contact gateways are not called. */
export const staysHere = ({ drill }: { readonly drill?: Drill }): boolean => drill !== undefined && !drill.toContacts
