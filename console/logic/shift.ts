import type { Item, Shift } from '../api/types.ts'
import { needsLook } from './order.ts'

export const owners = ['all', 'mine', 'nobody'] as const
/** The filter of a board by operator. */
export type Owner = (typeof owners)[number]

const isOf = (item: Item, owner: Owner, me: string | null): boolean => {
  switch (owner) {
    case 'mine':
      return me !== null && item.takenBy?.operatorId === me
    case 'nobody':
      return item.takenBy === undefined
    case 'all':
      return true
    default:
      return owner satisfies never
  }
}

/** `me`: the id of this operator; null: nobody. */
export const ofOwner = (items: readonly Item[], owner: Owner, me: string | null): readonly Item[] =>
  items.filter((item) => isOf(item, owner, me))

/** Of those that a filter hides, how many need somebody: nobody has answered, or an operator has to look again. */
export function hiddenUrgent(items: readonly Item[], shown: readonly Item[]): number {
  if (items.length === shown.length) return 0
  const seen = new Set(shown)
  return items.filter((item) => (item.urgency <= 2 || needsLook(item)) && !seen.has(item)).length
}

type Offer = Shift['handOvers'][number]

/**
 * News of a change of shift for one operator. `offered`: to them; `waiting`: their own offer; `answered`: its result;
 * `taken`: somebody has taken an alarm over from them. `key`: the same as long as it is the same news.
 */
export type ShiftNews = { readonly key: string } & (
  | { readonly kind: 'offered' | 'waiting'; readonly offer: Offer }
  | { readonly kind: 'answered'; readonly offer: Offer; readonly state: 'accepted' | 'declined' | 'lapsed' }
  | { readonly kind: 'taken'; readonly item: Item; readonly by: string | null }
)

type Known = {
  readonly offers: readonly Offer[]
  readonly items: readonly Item[]
  /** The id of this operator. */
  readonly me: string
  /** By the service's clock, epoch ms: an offer lapses also while nothing is heard of it. */
  readonly now: number
  /** The keys of the news that they have dismissed. */
  readonly putAway: ReadonlySet<string>
}

/** The news for one operator, those that need an answer first. */
export function shiftNews({ offers, items, me, now, putAway }: Known): readonly ShiftNews[] {
  const fromOffers = offers.map((offer) => newsOf(offer, me, now)).filter((news) => news !== null)
  const taken = items.flatMap((item): readonly ShiftNews[] => {
    const { takenBy } = item
    if (takenBy?.from?.operatorId !== me || takenBy.from.agreed || takenBy.operatorId === me) return []
    return [{ key: `taken ${item.incidentId} ${takenBy.at}`, kind: 'taken', item, by: takenBy.name }]
  })
  return [...fromOffers, ...taken].filter(({ key }) => !putAway.has(key))
}

function newsOf(offer: Offer, me: string, now: number): ShiftNews | null {
  const isOver = Date.parse(offer.endsAt) <= now
  const key = (kind: string): string => `${kind} ${offer.from.operatorId} ${offer.offeredAt}`
  if (offer.from.operatorId !== me) {
    return offer.state === 'offered' && !isOver ? { key: key('offered'), kind: 'offered', offer } : null
  }
  const state = offer.state === 'offered' && isOver ? 'lapsed' : offer.state
  if (state === 'offered') return { key: key('waiting'), kind: 'waiting', offer }
  return { key: key(state), kind: 'answered', offer, state }
}

/** Whether news is announced by sound: the operator has to act, or has lost an alarm without acting. */
export const isLoud = (news: ShiftNews): boolean =>
  news.kind === 'offered' || news.kind === 'taken' || (news.kind === 'answered' && news.state !== 'accepted')
