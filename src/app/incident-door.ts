import type { Command } from '../core/incident/command.ts'
import type { AuditEntry } from '../core/operator/audit.ts'
import type { Log } from '../ports/log.ts'
import type { Announcement, Committed, IncidentKey, IncidentStore, NoticeStore, Withdrawal } from '../ports/store.ts'

/**
 * The write door, together with the announcement of every commit to all followers. Use cases change incidents only
 * through it, so that nothing is committed without being announced.
 */
export type IncidentDoor = {
  /** Settles after the commit. Rejects with a StoreError if nothing was stored. Otherwise as in the port. */
  change(key: IncidentKey, command: Command, audit?: AuditEntry, withdrawal?: Withdrawal): Promise<Committed>
  /** Announces a commit that this process made by other means, such as a contact that joined. */
  announce(committed: Committed): void
}

export type IncidentFeed = {
  /** Calls `listener`, which must not wait or throw, with every commit from now on. */
  follow(listener: (committed: Announcement) => void): void
  /** Announces a commit of another process. */
  hear(committed: Announcement): void
}

/** Opens the door to the store: `change` rejects like the store, `follow` and `hear` never. */
export function createIncidentDoor(needs: {
  readonly store: Pick<IncidentStore, 'changeIncident'> & Pick<NoticeStore, 'announcesNow'>
  readonly log: Log
}): IncidentDoor & IncidentFeed {
  const { store, log } = needs
  const listeners: ((committed: Announcement) => void)[] = []
  const hear: IncidentFeed['hear'] = (committed) => {
    for (const { message } of committed.events) {
      const { incidentId, userId, status, type } = message
      log.info({ incidentId, userId, status, event: type }, 'incident changed')
    }
    for (const listener of listeners) listener(committed)
  }
  const announce: IncidentDoor['announce'] = (committed) => {
    const isOurs = store.announcesNow?.(committed) ?? true
    if (isOurs === true) hear(committed)
    else if (isOurs !== false) void isOurs.then((isStillOurs) => isStillOurs && hear(committed))
    // Its events have no topics, so announcing it twice is harmless. It follows the alarm's own announcement.
    for (const ended of committed.overtaken ?? []) hear(ended)
  }
  return {
    async change(...change) {
      const committed = await store.changeIncident(...change)
      announce(committed)
      return committed
    },
    announce,
    hear,
    follow: (listener) => void listeners.push(listener),
  }
}
