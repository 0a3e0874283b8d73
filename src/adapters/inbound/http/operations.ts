import type { Operation } from './operation.ts'
import { incidentOperations } from './operator/operations/incidents.ts'

/** By method and path. A test compares them with the routes. */
export const operations: Readonly<Record<string, Operation>> = {
  ...incidentOperations,
}
