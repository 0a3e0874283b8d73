import type { Session } from '../../core/account/session.ts'
import type { NamedEnd } from '../../core/incident/end.ts'
import { historyItem, type IncidentView, incidentView } from '../../core/incident/event.ts'
import { isUsersOpen } from '../../core/incident/incident.ts'
import { relayedPositionOf } from '../../core/incident/places.ts'
import { hasTalk } from '../../core/incident/talk.ts'
import { SECOND } from '../../lib/durations.ts'
import { inNextTurn } from '../../lib/waits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Committed, IncidentStore, Page, PageQuery, TalkStore, Withdrawal } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import type { UnnamedEndCount } from './unnamed-ends.ts'

export type HistoryItem = ReturnType<typeof historyItem>

/**
 * A request to end whatever is open. `since`: its first byte, epoch ms of the store's clock. `waitedMs`: the time since
 * then. `withdrawal`: whether its client has disconnected.
 */
export type UnnamedEnd = { readonly since: number; readonly waitedMs: number; readonly withdrawal: Withdrawal }

/** Messages of an item, the newest ones. */
const MAX_LINES = 100

/** Counts from the first byte. rules.md#ends. */
const DECIDED_WITHIN_MS = 5 * SECOND

/** The operations of users on their own incident, other than raising it. */
export const ownIncident = ({
  store,
  door,
  clock,
  log,
  unnamedEnds,
}: {
  readonly store: IncidentStore & Pick<TalkStore, 'talkLines'>
  readonly door: IncidentDoor
  readonly clock: Clock
  readonly log: Log
  readonly unnamedEnds: Pick<UnnamedEndCount, 'note'>
}) => ({
  /** `GET /v1/sdk/sos`: the open incident with the live snapshot, or null. */
  async read({ userId }: Session): Promise<IncidentView | null> {
    const record = await store.openIncident(userId)
    return record && incidentView(record.incident, record.lastPosition, relayedPositionOf(record))
  },

  /** `GET /v1/sdk/sos/history`: newest first, the open incident included; without `hasTrails` every trail is empty. */
  async history(
    { userId }: Session,
    { hasTrails, ...query }: PageQuery & { readonly hasTrails: boolean },
  ): Promise<Page<HistoryItem> | { readonly refused: 'bad_cursor' }> {
    const page = await store.history(userId, query)
    if ('refused' in page) return page
    const items: HistoryItem[] = []
    for (const { incident, trail, ...whereabouts } of page.items) {
      const lines = hasTalk(incident) ? await inNextTurn(() => store.talkLines(incident.id, 0, MAX_LINES)) : []
      items.push(historyItem(incident, hasTrails ? trail : [], whereabouts, lines))
    }
    return { items, after: page.after }
  },

  /**
   * `POST /v1/sdk/sos/cancel` and `/resolve` without a name. `incident`: the one open afterwards. Succeeds if nothing
   * is open, because a retry after a lost response must not fail. `not_in_time`: nothing was ended. rules.md#ends.
   */
  async end(
    { appId, userId }: Session,
    type: 'cancel' | 'resolve',
    { since, waitedMs, withdrawal }: UnnamedEnd,
  ): Promise<Ended | { readonly refused: 'not_in_time' }> {
    unnamedEnds.note(appId)
    const now = clock.now()
    const end = { kind: 'unnamed', since, decideBy: now + DECIDED_WITHIN_MS - waitedMs } as const
    const committed = await door.change({ openOf: userId }, { type, now, end }, undefined, withdrawal)
    return committed.verdict === 'too_late' ? { refused: 'not_in_time' } : endedOf(committed)
  },

  /** The same with a name. `ended`: whether the named alarm is over now, whoever ended it. rules.md#ends. */
  async endNamed({ userId }: Session, type: 'cancel' | 'resolve', end: NamedEnd): Promise<Ended> {
    const committed = await door.change({ openOf: userId }, { type, now: clock.now(), end })
    if (committed.awaits) log.info({ userId }, 'an alert was ended before it came; it will open nothing')
    return endedOf(committed)
  },
})

/** `incident`: the one that is open now. */
export type Ended = { readonly incident: IncidentView | null; readonly ended?: boolean }

function endedOf(committed: Committed): Ended {
  const { incident, lastPosition, ended } = committed
  const isOpen = incident !== null && isUsersOpen(incident)
  const open = isOpen ? incidentView(incident, lastPosition, relayedPositionOf(committed)) : null
  return { incident: open, ...(ended !== undefined && { ended }) }
}
