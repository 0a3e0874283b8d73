import type { Session } from '../core/account/session.ts'
import { historyItem, type IncidentView, incidentView } from '../core/incident/event.ts'
import { relayedPositionOf } from '../core/incident/places.ts'
import type { Clock } from '../ports/clock.ts'
import type { IncidentStore, Page, PageQuery } from '../ports/store.ts'
import type { IncidentDoor } from './incident-door.ts'

export type HistoryItem = ReturnType<typeof historyItem>

/** What users may do with their own incident besides raising it. */
export const ownIncident = ({
  store,
  door,
  clock,
}: {
  readonly store: IncidentStore
  readonly door: IncidentDoor
  readonly clock: Clock
}) => ({
  /** `GET /v1/sdk/sos`: the open incident with the live snapshot, or null. */
  async read({ userId }: Session): Promise<IncidentView | null> {
    const record = await store.openIncident(userId)
    return record && incidentView(record.incident, record.lastPosition, relayedPositionOf(record))
  },

  /** `GET /v1/sdk/sos/history`: newest first, the open incident included. */
  async history(
    { userId }: Session,
    query: PageQuery,
  ): Promise<Page<HistoryItem> | { readonly refused: 'bad_cursor' }> {
    const page = await store.history(userId, query)
    if ('refused' in page) return page
    return {
      items: page.items.map(({ incident, trail, ...whereabouts }) => historyItem(incident, trail, whereabouts)),
      after: page.after,
    }
  },

  /** `POST /v1/sdk/sos/cancel`. Does nothing if no incident is open: a retry after a lost response must not fail. */
  async cancel({ userId }: Session): Promise<void> {
    await door.change({ openOf: userId }, { type: 'cancel', now: clock.now() })
  },

  /** `POST /v1/sdk/sos/resolve`; likewise. */
  async resolve({ userId }: Session): Promise<void> {
    await door.change({ openOf: userId }, { type: 'resolve', now: clock.now() })
  },
})
