import type { Command } from '../core/incident/command.ts'
import type { Log } from '../ports/log.ts'
import type { Committed, IncidentKey, IncidentStore } from '../ports/store.ts'

/** What a commit means for others. `incidentId`: null if there was none to change, absent if it is not known which. */
type Announced = Pick<Committed, 'events' | 'nextActionAt'> & Partial<Pick<Committed, 'incidentId'>>

/**
 * The write door together with what follows every commit: whoever follows it hears of it. Use cases change incidents
 * only through it, so that nothing is committed without being announced.
 */
export type IncidentDoor = {
  /** Settles after the commit. Rejects with a StoreError if nothing was stored. */
  change(key: IncidentKey, command: Command): Promise<Committed>
  /** Announces what was committed by other means (a contact that joined, another process). */
  announce(committed: Announced): void
}

export type IncidentFeed = {
  /** Calls `listener`, which never waits and never throws, with every commit from now on. */
  follow(listener: (committed: Announced) => void): void
}

export function createIncidentDoor(parts: {
  readonly store: Pick<IncidentStore, 'changeIncident'>
  readonly log: Log
}): IncidentDoor & IncidentFeed {
  const { store, log } = parts
  const listeners: ((committed: Announced) => void)[] = []
  const announce: IncidentDoor['announce'] = (committed) => {
    for (const { message } of committed.events) {
      const { incidentId, userId, status, type } = message
      log.info({ incidentId, userId, status, event: type }, 'incident changed')
    }
    for (const listener of listeners) listener(committed)
  }
  return {
    async change(key, command) {
      const committed = await store.changeIncident(key, command)
      announce(committed)
      return committed
    },
    announce,
    follow: (listener) => void listeners.push(listener),
  }
}
