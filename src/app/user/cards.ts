import type { KeptCard } from '../../core/account/card.ts'
import type { Log } from '../../ports/log.ts'
import type { Secrets } from '../../ports/secrets.ts'
import { type CardStore, StoreError } from '../../ports/store.ts'

/** `why`: a sentence for the operator, never for the person. The card itself stays as it is. */
export type CardLocked = { readonly refused: 'card_locked'; readonly why: string }
/** `value`: sealed, as it is stored; null with `card` null: there is none. */
type OpenedCard = {
  readonly card: KeptCard | null
  readonly value: string | null
  readonly updatedAt: number | null
}

/** The name that the seal of a user's card is bound to: no row can stand in for another person's. */
const cardSeal = (userId: string): string => `cards/${userId}`

/** Opens and seals cards with the site's key. */
export type Cards = {
  /** Rejects with a StoreError. */
  opened(userId: string): Promise<OpenedCard | CardLocked>
  /** Rejects with a StoreError. */
  sealed(userId: string, card: KeptCard): Promise<string | CardLocked>
  /** Why this node could not open or seal the last card, as a sentence for the operator; null if it could. */
  concern(): string | null
}

/** The cards of a site. `store` and `log` are those of this node. */
export function sealedCards({
  store,
  secrets,
  log,
}: {
  readonly store: Pick<CardStore, 'card'>
  readonly secrets: Pick<Secrets, 'open' | 'seal'>
  readonly log: Log
}): Cards {
  let trouble: string | null = null
  const locked = (why: string): CardLocked => {
    if (trouble !== why) log.error({ why }, 'the card of a person can neither be read nor changed here')
    trouble = why
    return { refused: 'card_locked', why }
  }
  return {
    async opened(userId) {
      const stored = await store.card(userId)
      if (stored === null) return { card: null, value: null, updatedAt: null }
      const { value, updatedAt } = stored
      const opening = secrets.open(cardSeal(userId), value)
      if ('refused' in opening) return locked(withoutPerson(opening.why, userId))
      trouble = null
      return { card: JSON.parse(opening.value.toString('utf8')) as KeptCard, value, updatedAt }
    },

    async sealed(userId, card) {
      try {
        const value = await secrets.seal(cardSeal(userId), JSON.stringify(card))
        trouble = null
        return value
      } catch (error) {
        if (error instanceof StoreError) throw error
        return locked((error as Error).message)
      }
    },

    concern: () => trouble && `cards of persons cannot be read or changed: ${trouble}`,
  }
}

/** The sentence without the person: `/readyz` and the log show it. */
const withoutPerson = (why: string, userId: string): string => why.replace(` ${cardSeal(userId)}`, ' of a card')

/** Whether a card was sealed with a key that this node does not have. */
export function isCardOfOtherKey(
  card: { readonly userId: string; readonly value: string } | null,
  { open }: Pick<Secrets, 'open'>,
): boolean {
  const opened = card && open(cardSeal(card.userId), card.value)
  return opened !== null && 'refused' in opened && opened.refused === 'other_key'
}
