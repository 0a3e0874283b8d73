import type { Command } from '../core/incident/command.ts'
import type { Log } from '../ports/log.ts'
import type { Publisher } from '../ports/publisher.ts'
import type { Committed, IncidentKey, IncidentStore } from '../ports/store.ts'

/**
 * The write door together with what follows every commit: the events go out and the dispatcher learns when to wake. Use cases change
 * incidents through this and nothing else, so that nothing can be committed without being announced.
 */
export type IncidentDoor = {
  /** Settles after the commit; rejects with a StoreError when nothing was stored. */
  change(key: IncidentKey, command: Command): Promise<Committed>
  /** Announces what was committed in another way (a contact that joined, another process). */
  announce(committed: Pick<Committed, 'events' | 'nextActionAt'>): void
}

export function createIncidentDoor(parts: {
  readonly store: Pick<IncidentStore, 'changeIncident'>
  readonly publisher: Publisher
  readonly log: Log
  /** Called with the moment (epoch ms) at which the changed incident wants attention next. */
  readonly wake: (at: number) => void
}): IncidentDoor {
  const { store, publisher, log, wake } = parts
  const announce: IncidentDoor['announce'] = ({ events, nextActionAt }) => {
    for (const { message } of events) {
      const { incidentId, userId, status, type } = message
      log.info({ incidentId, userId, status, event: type }, 'incident changed')
    }
    publisher.publish(events)
    if (nextActionAt !== null) wake(nextActionAt)
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
