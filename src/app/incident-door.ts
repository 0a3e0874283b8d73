import type { Command } from '../core/incident/command.ts'
import type { AuditEntry } from '../core/operator/audit.ts'
import type { Log } from '../ports/log.ts'
import type { Announcement, Committed, IncidentKey, IncidentStore, NoticeStore, Withdrawal } from '../ports/store.ts'

/**
 * The write door together with what follows every commit: all followers are notified. Use cases change incidents only
 * through it, so that nothing is committed without being announced.
 */
export type IncidentDoor = {
  /** Settles after the commit. Rejects with a StoreError if nothing was stored. The rest: as in the port. */
  change(key: IncidentKey, command: Command, audit?: AuditEntry, withdrawal?: Withdrawal): Promise<Committed>
  /** Announces what this process has committed by other means (a contact that joined). */
  announce(committed: Committed): void
}

export type IncidentFeed = {
  /** Calls `listener`, which never waits and never throws, with every commit from now on. */
  follow(listener: (committed: Announcement) => void): void
  /** Announces what another process has committed. */
  hear(committed: Announcement): void
}

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
    // Its events have no topics, so hearing of it twice does no harm; after the alarm's own.
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
