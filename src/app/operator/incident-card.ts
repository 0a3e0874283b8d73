import { type Card, cardOf } from '../../core/account/card.ts'
import { isCardShown } from '../../core/incident/card-access.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR } from '../../lib/durations.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'
import type { CardLocked, Cards } from '../user/cards.ts'
import { rowBy } from './by.ts'
import { type Asker, type IncidentAccess, type NoIncident, noIncident } from './incident-access.ts'

/** Looks of one operator or token: no person needs as many, and each leaves a row. */
const LOOKS = { times: 600, perMs: HOUR }
const MAX_REMEMBERED = 10_000

/** A card as an operator sees it. */
export type ShownCard = Card & { readonly updatedAt: string }

/**
 * The card of an incident's person, for operators. Each look is in the audit log before anything is shown: if it cannot
 * be, nothing is. rules.md#card.
 */
export function incidentCard(
  { store, cards }: { readonly store: Pick<OperatorStore, 'addAuditRow'>; readonly cards: Pick<Cards, 'opened'> },
  { by, find }: IncidentAccess,
) {
  const looks = new RateLimiter(LOOKS, MAX_REMEMBERED)
  return {
    async card(
      asker: Asker,
      incidentId: string,
    ): Promise<
      ShownCard | NoIncident | CardLocked | { readonly refused: 'no_card' | 'card_hidden' | 'too_many_looks' }
    > {
      const record = await find(asker, incidentId, 'incident.card')
      if (record === null) return noIncident
      const { id, appId, userId } = record.incident
      if (!isCardShown(record.incident)) return { refused: 'card_hidden' }
      const opened = await cards.opened(userId)
      if ('refused' in opened) return opened
      const { card, updatedAt } = opened
      if (card === null || updatedAt === null) return { refused: 'no_card' }
      const who = by(asker)
      if (!looks.take(`${who.actor.kind} ${who.actor.id}`, who.now)) return { refused: 'too_many_looks' }
      await store.addAuditRow(rowBy(who, { action: 'incident.card', appId, userId, subject: id }))
      const still = await find(asker, incidentId, 'incident.card')
      if (still === null || !isCardShown(still.incident)) return { refused: 'card_hidden' }
      return { ...cardOf(card), updatedAt: isoAt(updatedAt) }
    },
  }
}
