import type { Application } from '../../core/account/application.ts'
import { fallbackEntry } from '../../core/incident/fallback-entry.ts'
import type { Committed, IncidentStore } from '../../ports/store.ts'

export type CorrectingParts = {
  readonly store: Pick<IncidentStore, 'incidents' | 'changeIncident'>
  /** Absent: the service hears of it by a notice. */
  readonly announce?: (corrected: Committed) => void
}

/**
 * Has the open incidents of the application alarm the fallback contact as it is now: a corrected one for every attempt
 * that has not begun, a new one at the end of the cascade. One commit each, so that no alarm waits for all of them.
 * Doing it again does no harm. `now`: epoch ms. rules.md#fallback-contact.
 */
export async function correctFallback(
  { store, announce }: CorrectingParts,
  { id, language, fallbackContact }: Pick<Application, 'id' | 'language' | 'fallbackContact'>,
  now: number,
): Promise<void> {
  if (fallbackContact === null) return
  for (const { incident } of await store.incidents({ openOnly: true })) {
    if (incident.appId !== id) continue
    const contact = fallbackEntry(id, fallbackContact, { language, place: incident.contacts.length })
    for (const type of ['updateContact', 'addContact'] as const) {
      const committed = await store.changeIncident({ incidentId: incident.id }, { type, now, contact })
      if (committed.verdict !== 'unchanged') announce?.(committed)
    }
  }
}
