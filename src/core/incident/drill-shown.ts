import { isoAt } from '../ingest/event-time.ts'
import type { Position } from '../ingest/position.ts'
import type { Drill, Incident } from './incident.ts'

/** A place without people: everyone sees that it is made up, and no map leads to a person. */
export const INVENTED_PLACE = { latitude: 0, longitude: 0 }

/** The position that messages and pages show. A drill's is invented, whatever is known. preparing.md#drills. */
export const shownPosition = ({ drill, openedAt }: Incident, lastPosition: Position | null): Position | null =>
  drill === undefined ? lastPosition : { ...INVENTED_PLACE, altitude: null, at: isoAt(openedAt) }

/** Whether nothing may reach a contact: texts and calls go to the outbox, and contact gateways are not called. */
export const staysHere = ({ drill }: { readonly drill?: Drill }): boolean => drill !== undefined && !drill.toContacts
