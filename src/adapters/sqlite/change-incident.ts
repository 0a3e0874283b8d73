import type { Command } from '../../core/command.ts'
import { decide } from '../../core/decide.ts'
import type { Decision } from '../../core/decision.ts'
import { nextActionAt } from '../../core/escalation.ts'
import type { Incident } from '../../core/incident.ts'
import { positionOf } from '../../core/payload.ts'
import type { Settings } from '../../core/settings.ts'
import type { Committed, IncidentKey } from '../../ports/store.ts'
import { alertIdentities } from './alert-identity.ts'
import type { Connection } from './connection.ts'
import { ownerLookup } from './device-owner.ts'
import { incidentQuota } from './incident-quota.ts'
import { type IncidentRow, incidentOf } from './incident-row.ts'
import type { LeaveNotice } from './notices.ts'
import { incidentWrites } from './save-incident.ts'
import { siteLookup } from './site.ts'
import { trailReads, trailWrites } from './trail.ts'

type Raise = Extract<Command, { type: 'raise' }>

/** The incident that a key leads to, and whose it is (or would be). */
type Found = {
  readonly row: IncidentRow | null
  readonly incident: Incident | null
  readonly ownerId: string | null
  readonly unknownDevice: boolean
}

/** The write door, on the writer's side: to be called inside a transaction. */
export function incidentChanges(
  db: Connection,
  {
    defaults,
    leaveNotice,
    maxIncidents,
  }: { readonly defaults: Settings; readonly leaveNotice: LeaveNotice; readonly maxIncidents: number },
) {
  const byId = db.prepare<[string], IncidentRow>('SELECT number, record FROM incidents WHERE id = ?')
  const openOf = db.prepare<[string], IncidentRow>(
    'SELECT number, record FROM incidents WHERE user_id = ? AND open = 1',
  )
  const pending = db.prepare<[], IncidentRow>(
    'SELECT number, record FROM incidents WHERE next_action_at IS NOT NULL OR open = 1',
  )
  const ownerOf = ownerLookup(db)
  const siteOf = siteLookup(db, defaults)
  const alerts = alertIdentities(db)
  const incidents = incidentWrites(db)
  const keepQuota = incidentQuota(db, maxIncidents)
  const { lastPosition } = trailReads(db)
  const { addPosition } = trailWrites(db)

  const find = (key: IncidentKey): Found => {
    if ('incidentId' in key) {
      const row = byId.get(key.incidentId) ?? null
      const incident = row && incidentOf(row)
      return { row, incident, ownerId: incident?.userId ?? null, unknownDevice: false }
    }
    const { userId, unknownDevice } =
      'openOf' in key ? { userId: key.openOf, unknownDevice: false } : ownerOf(key.reporter)
    const row = openOf.get(userId) ?? null
    return { row, incident: row && incidentOf(row), ownerId: userId, unknownDevice }
  }

  /** Writes what the decision changed. Answers the number of the incident's row. */
  const save = (found: Found, { incident }: Decision): number | null => {
    if (incident === null) return null
    if (found.row === null || found.incident?.id !== incident.id) return incidents.insert(incident)
    if (incident !== found.incident) incidents.update(found.row.number, found.incident, incident)
    return found.row.number
  }

  const commit = (found: Found, decision: Decision, raised: Raise | null): Committed => {
    const { verdict, incident, events } = decision
    const number = save(found, decision)
    if (raised !== null && number !== null && incident !== null && (verdict === 'opened' || verdict === 'updated')) {
      const { alert } = raised
      if (verdict === 'opened') keepQuota(incident.userId)
      alerts.record(incident.userId, alert, number)
      const position = positionOf(alert.payload, alert.at)
      if (position !== null) addPosition(number, alert.at, position)
    }
    const committed: Committed = {
      ...decision,
      lastPosition: number === null ? null : lastPosition(number),
      nextActionAt: incident === null ? null : nextActionAt(incident),
      unknownDevice: found.unknownDevice,
    }
    if (incident !== found.incident) leaveNotice({ kind: 'committed', events, nextActionAt: committed.nextActionAt })
    return committed
  }

  const changeIncident = (key: IncidentKey, command: Command): Committed => {
    const found = find(key)
    const { incident, ownerId } = found
    if (command.type !== 'raise') return commit(found, decide({ incident, site: null, earlier: null }, command), null)
    const site = ownerId === null ? null : siteOf(ownerId)
    const earlier = ownerId === null ? null : alerts.earlier(ownerId, command.alert)
    return commit(found, decide({ incident, site, earlier }, command), command)
  }

  return {
    changeIncident,

    changePending(command: Extract<Command, { type: 'shiftDeadlines' | 'dueNow' }>): number {
      let changed = 0
      for (const row of pending.all()) {
        const incident = incidentOf(row)
        const found = { row, incident, ownerId: incident.userId, unknownDevice: false }
        const decision = decide({ incident, site: null, earlier: null }, command)
        if (decision.incident === incident) continue
        commit(found, decision, null)
        changed += 1
      }
      return changed
    },
  }
}
