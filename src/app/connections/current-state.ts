import type { Session } from '../../core/account/session.ts'
import { incidentEvent } from '../../core/incident/event.ts'
import { HOUR } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IncidentStore } from '../../ports/store.ts'

/** How long after its end an incident is still reported. */
const TOLD_FOR_MS = 24 * HOUR

/**
 * The state that a client gets when it subscribes to its events, as JSON: the `sos.actuator_update` of the user's open
 * incident, or the final one of an incident that closed within the last 24 h. Null if there is neither. Rejects only
 * with a StoreError. rules.md#state-on-subscribe.
 */
export const currentState =
  ({ store, clock }: { readonly store: Pick<IncidentStore, 'latestIncident'>; readonly clock: Pick<Clock, 'now'> }) =>
  async ({ userId }: Session): Promise<string | null> => {
    const incident = await store.latestIncident(userId, clock.now() - TOLD_FOR_MS)
    return incident && JSON.stringify(incidentEvent('sos.actuator_update', incident).message)
  }
