import type { Application } from '../../core/account/application.ts'
import { fallbackEntry } from '../../core/incident/alarm-plan.ts'
import { type BoardStore, type Committed, type IncidentStore, StoreError } from '../../ports/store.ts'

/** Incidents read at a time; only the ids and the lengths of their cascades are kept. */
const PAGE = 100

export type FallbackNeeds = {
  readonly store: Pick<BoardStore, 'board'> & Pick<IncidentStore, 'changeIncident'>
  /** Absent: the service learns of it by a notice. */
  readonly announce?: (corrected: Committed) => void
}

/**
 * Applies the application's fallback contact to its open incidents: a corrected one to every attempt that has not
 * begun, a new one at the end of the cascade. One commit each, so that no alarm waits for all of them. It can be
 * repeated safely. Rejects with a StoreError if one of them could not be changed: after all others, unless they would
 * fail as well. `now`: epoch ms. rules.md#fallback-contact.
 */
export async function correctFallback(
  { store, announce }: FallbackNeeds,
  { id, language, fallbackContact }: Pick<Application, 'id' | 'language' | 'fallbackContact'>,
  now: number,
): Promise<void> {
  if (fallbackContact === null) return
  const failures: unknown[] = []
  for (const { incidentId, place } of await openOnes(store, id)) {
    const contact = fallbackEntry(id, fallbackContact, { language, ahead: place })
    try {
      for (const type of ['updateContact', 'addContact'] as const) {
        const committed = await store.changeIncident({ incidentId }, { type, now, contact })
        if (committed.verdict !== 'unchanged') announce?.(committed)
      }
    } catch (error) {
      if (!isOfOne(error)) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Whether the failure concerns one incident only, because its owner is locked or its record is unreadable. */
const isOfOne = (error: unknown): boolean =>
  error instanceof StoreError && (error.kind === 'busy' || error.kind === 'fault')

/**
 * All open incidents of the application, however many the site has. One that opens meanwhile has the new contact. All
 * are read before the first is changed, because a change may move an incident within the order of the pages.
 */
async function openOnes(store: Pick<BoardStore, 'board'>, appId: string) {
  const filter = { state: 'open', statuses: null, applications: [appId], from: null, to: null, text: null } as const
  const found: { readonly incidentId: string; readonly place: number }[] = []
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<BoardStore['board']>> = await store.board(filter, { after, limit: PAGE })
    found.push(...page.items.map(({ incident }) => ({ incidentId: incident.id, place: incident.contacts.length })))
    after = page.after
  } while (after !== null)
  return found
}
