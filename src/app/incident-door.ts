import type { Command } from '../core/incident/command.ts'
import type { Log } from '../ports/log.ts'
import type { Publisher } from '../ports/publisher.ts'
import type { Committed, IncidentKey, IncidentStore } from '../ports/store.ts'

/**
 * The write door together with what follows every commit: the events go out and the dispatcher learns when to wake. Use
 * cases change incidents only through it, so that nothing is committed without being announced.
 */
type Announced = Pick<Committed, 'events' | 'nextActionAt'> & Partial<Pick<Committed, 'incident'>>

export type IncidentDoor = {
  /** Settles after the commit. Rejects with a StoreError if nothing was stored. */
  change(key: IncidentKey, command: Command): Promise<Committed>
  /** Announces what was committed by other means (a contact that joined, another process). */
  announce(committed: Announced): void
}

export function createIncidentDoor(parts: {
  readonly store: Pick<IncidentStore, 'changeIncident'>
  readonly publisher: Publisher
  readonly log: Log
  /** Called with the incident (null if unknown) and the moment (epoch ms) at which it next needs attention. */
  readonly changed: (incidentId: string | null, at: number | null) => void
}): IncidentDoor {
  const { store, publisher, log, changed } = parts
  const announce: IncidentDoor['announce'] = ({ events, nextActionAt, incident }) => {
    for (const { message } of events) {
      const { incidentId, userId, status, type } = message
      log.info({ incidentId, userId, status, event: type }, 'incident changed')
    }
    publisher.publish(events)
    // `incident` is null if there was none to change.
    if (incident !== null) changed(incident?.id ?? null, nextActionAt)
  }
  return {
    async change(key, command) {
      const committed = await store.changeIncident(key, command)
      announce(committed)
      return committed
    },
    announce,
  }
}
