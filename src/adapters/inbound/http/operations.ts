import type { Operation } from './operation.ts'
import { accountOperations } from './operator/operations/accounts.ts'
import { drillOperations } from './operator/operations/drills.ts'
import { estateOperations } from './operator/operations/estate.ts'
import { incidentOperations } from './operator/operations/incidents.ts'
import { sessionOperations } from './operator/operations/session.ts'
import { shiftOperations } from './operator/operations/shift.ts'
import { trackerOperations } from './operator/operations/trackers.ts'

/** By method and path. A test compares them with the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  ...sessionOperations,
  ...estateOperations,
  ...trackerOperations,
  ...incidentOperations,
  ...shiftOperations,
  ...drillOperations,
  ...accountOperations,
}
