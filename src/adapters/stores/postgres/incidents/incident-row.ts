import { type Incident, isUsersOpen } from '../../../../core/incident/incident.ts'
import { claimMoments, nextActionAt } from '../../../../core/incident/next-action.ts'
import { ownerIdOf } from '../../../../core/incident/owner.ts'
import { urgencyOf } from '../../../../core/incident/standing.ts'

/** A row as `json_to_recordset` takes it. */
export type Row = Readonly<Record<string, unknown>>

/** Later than any moment, within what a number holds exactly. */
export const NEVER = Number.MAX_SAFE_INTEGER

/** The row of an incident with all its columns, and its claims. */
export const incidentRow = ({ number, incident }: { readonly number: number; readonly incident: Incident }): Row => ({
  ...claimColumns(incident),
  number,
  id: incident.id,
  appId: incident.appId,
  userId: incident.userId,
  open: isUsersOpen(incident),
  drill: incident.drill !== undefined,
  putOff: incident.putOff !== undefined,
  occurredMs: incident.occurredAt.ms,
  occurredNanos: incident.occurredAt.nanos,
  openedAt: incident.openedAt,
  closedAt: incident.state.closedAt,
  nextActionAt: nextActionAt(incident),
  relayUserId: incident.relayUserId,
  throughDevice: incident.throughDevice ?? null,
  ownerId: ownerIdOf(incident),
  majorId: incident.major?.id ?? null,
  held: incident.held ?? false,
  urgency: urgencyOf(incident),
  record: incident,
})

function claimColumns(incident: Incident): Row {
  const claims = [...claimMoments(incident)].map(([token, checkAt]) => ({ token, checkAt }))
  if (claims.length === 0) return { claims, freeAt: null }
  return { claims, freeAt: nextActionAt(incident, ({ claim }) => claim?.by !== undefined) ?? NEVER }
}
