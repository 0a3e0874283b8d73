import type { Incident } from '../../core/incident/incident.ts'
import type { KnownActor } from '../../core/operator/audit.ts'
import { type Action, type Grant, mayDo } from '../../core/operator/role.ts'
import type { Clock } from '../../ports/clock.ts'
import type { BoardRecord } from '../../ports/store.ts'
import type { By } from './by.ts'
import type { WhyNot } from './incident-acts.ts'
import type { IncidentCase } from './incident-case.ts'
import type { NoteLook } from './looks.ts'
import { caseReader, type ReadForCase } from './read-case.ts'

/** The operator or token that asks, with the address. */
export type Asker = { readonly actor: KnownActor; readonly grant: Grant; readonly address: string | null }

/** An incident that a caller may not see does not exist for them. */
export type NoIncident = { readonly refused: 'incident_not_found' }
export type NoContact = { readonly refused: 'contact_not_found' }
/** `case`: the current state. */
export type Late = { readonly refused: WhyNot; readonly case: IncidentCase }
export type Changed = { readonly case: IncidentCase }

export const noIncident: NoIncident = { refused: 'incident_not_found' }

/** The access to incidents: who may see one, and the case that answers a request. Rejects only with a StoreError. */
export function incidentAccess({
  store,
  clock,
  noteLook,
}: {
  readonly store: ReadForCase
  readonly clock: Pick<Clock, 'now'>
  readonly noteLook: NoteLook
}) {
  const caseOf = caseReader({ store, clock })
  return {
    by: ({ actor, address }: Asker): By & { readonly actor: KnownActor } => ({ actor, address, now: clock.now() }),

    async find({ grant }: Pick<Asker, 'grant'>, incidentId: string, action: Action): Promise<BoardRecord | null> {
      const record = await store.boardRecord(incidentId)
      return record !== null && mayDo(grant, action, record.incident.appId) ? record : null
    },

    caseOf,

    noteLookAt({ actor, address }: Asker, { id, appId, userId }: Incident, action: Action): void {
      noteLook({ actor, address, action, appId, userId, subject: id })
    },

    /** The case after a change, or with the reason why the change was refused. */
    async answered(incidentId: string, asker: Asker, refused: WhyNot | null): Promise<Changed | Late | NoIncident> {
      const found = await caseOf(incidentId, asker)
      if (found === null) return noIncident
      // A refused change has no audit row, but its response still shows the position.
      const { applicationId: appId, userId, incidentId: subject } = found.incident
      noteLook({ actor: asker.actor, address: asker.address, action: 'incident.view', appId, userId, subject })
      return refused === null ? { case: found } : { refused, case: found }
    },
  }
}

export type IncidentAccess = ReturnType<typeof incidentAccess>
