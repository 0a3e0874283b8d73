import type { Session } from '../../core/account/session.ts'
import type { DrillRefusal } from '../../core/incident/decision.ts'
import { DRILLS_WITHIN_MS, MAX_OWN_DRILLS_A_DAY } from '../../core/incident/drill.ts'
import { type DrillReport, drillReport } from '../../core/incident/drill-report.ts'
import { INVENTED_PLACE } from '../../core/incident/drill-shown.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { alertFrom } from '../../core/ingest/alert.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { type AuditEntry, entry, OWN_APP } from '../../core/operator/audit.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { DrillStore, IncidentStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'

/** Refused starts count, too: each reads the store. */
const STARTS = { times: 20, perMs: HOUR }
const MAX_USERS = 5_000
/** Above the number of attempts that a drill ever plans. */
const MAX_ATTEMPTS = 1_000

type NoDrill = { readonly refused: 'drill_not_found' }

/** Drills that users start themselves, to practise: nobody is told. preparing.md#drills. */
export const ownDrill = ({
  store,
  door,
  ids,
  clock,
}: {
  readonly store: DrillStore & Pick<IncidentStore, 'incident' | 'attempts'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly clock: Pick<Clock, 'now'>
}) => {
  const starts = new RateLimiter(STARTS, MAX_USERS)

  const reportOf = async (incident: Incident): Promise<DrillReport> =>
    drillReport(incident, await store.attempts(incident.id, MAX_ATTEMPTS))

  const find = async ({ userId }: Session, incidentId: string): Promise<Incident | null> => {
    const { incident } = (await store.incident(incidentId)) ?? {}
    return incident?.drill !== undefined && incident.userId === userId ? incident : null
  }

  const row = (
    { appId, userId }: Session,
    action: 'drill.start' | 'drill.end',
    incidentId: string,
    details: AuditEntry['details'] = {},
  ): AuditEntry => entry({ at: clock.now(), actor: OWN_APP, action, appId, userId, subject: incidentId, details })

  return {
    async start(session: Session): Promise<DrillReport | { readonly refused: DrillRefusal }> {
      const { appId, userId } = session
      const now = clock.now()
      if (!starts.take(userId, now)) return { refused: 'too_many_drills' }
      const lately = { appId, userId, since: now - DRILLS_WITHIN_MS, limit: MAX_OWN_DRILLS_A_DAY }
      if ((await store.drills(lately)).length >= MAX_OWN_DRILLS_A_DAY) return { refused: 'too_many_drills' }
      const alert = alertFrom({ timestamp: isoAt(now), ...INVENTED_PLACE }, now)
      const incidentId = ids.uuid()
      const raised = { type: 'drill', now, alert, incidentId, linkSecret: ids.secret() } as const
      const command = { ...raised, toContacts: false, isOwn: true } as const
      const done = await door.change(
        { openOf: userId },
        command,
        row(session, 'drill.start', incidentId, { own: true }),
      )
      if (done.refused !== undefined) return { refused: done.refused }
      if (done.incident === null) throw new TypeError('a drill that was not refused has an incident')
      return reportOf(done.incident)
    },

    async report(session: Session, incidentId: string): Promise<DrillReport | NoDrill> {
      const drill = await find(session, incidentId)
      return drill === null ? { refused: 'drill_not_found' } : reportOf(drill)
    },

    /** Ending it twice succeeds. Only a drill that the user started. */
    async end(session: Session, incidentId: string): Promise<DrillReport | NoDrill> {
      const drill = await find(session, incidentId)
      if (drill?.drill?.isOwn !== true) return { refused: 'drill_not_found' }
      const command = { type: 'resolve', by: 'user', now: clock.now() } as const
      const { incident } = await door.change({ incidentId }, command, row(session, 'drill.end', incidentId))
      return reportOf(incident ?? drill)
    },
  }
}
