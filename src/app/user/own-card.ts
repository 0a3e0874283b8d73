import {
  type Card,
  emptyCard,
  isBlank,
  isTicked,
  type KeptCard,
  ownCardView,
  ticksFor,
} from '../../core/account/card.ts'
import type { CardUpdate } from '../../core/account/card-schema.ts'
import type { Contact } from '../../core/account/contact.ts'
import type { Session } from '../../core/account/session.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditStore, CardStore, ContactStore } from '../../ports/store.ts'
import type { CardLocked, Cards } from './cards.ts'
import { OwnChanges } from './own-changes.ts'

/** Changes of two devices at once: then the one that came later is made over the other. */
const MAX_TRIES = 5

export type OwnCardView = ReturnType<typeof ownCardView>
type NoContacts = { readonly refused: 'invalid'; readonly fields: readonly FieldProblem[] }

/** The user's card for helpers, written by the user alone. rules.md#card. */
export const ownCard = ({
  store,
  cards,
  clock,
}: {
  readonly store: CardStore & AuditStore & Pick<ContactStore, 'contacts'>
  readonly cards: Cards
  readonly clock: Pick<Clock, 'now'>
}) => {
  const changes = new OwnChanges()
  /** The store for a change, which adds an audit row as long as the user may have more of them. */
  const noted = (session: Session, fields: readonly string[]) => {
    const row = changes.row(session, { action: 'card.changed', details: { fields } }, clock.now())
    return row === null ? store : store.audited(row)
  }

  return {
    /** An empty one where there is none. */
    async read({ userId }: Session): Promise<OwnCardView | CardLocked> {
      const [opened, contacts] = await Promise.all([cards.opened(userId), store.contacts(userId)])
      if ('refused' in opened) return opened
      return ownCardView(opened.card ?? emptyCard, contacts, opened.updatedAt)
    },

    /** Changes the fields that are given. A card that cannot be opened stays as it is. */
    async update(
      session: Session,
      update: CardUpdate,
    ): Promise<OwnCardView | CardLocked | NoContacts | { readonly refused: 'card_changed' | 'user_not_found' }> {
      const { userId } = session
      const contacts = await store.contacts(userId)
      const ids = update.contactIds?.map((id) => id.toLowerCase())
      const ticks = ids === undefined ? null : ticksFor(ids, contacts)
      if (ids !== undefined && ticks === null) return { refused: 'invalid', fields: [NOT_A_CONTACT] }
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const opened = await cards.opened(userId)
        if ('refused' in opened) return opened
        const before = opened.card ?? emptyCard
        const after = changed(before, update, update.contactIds === null ? [] : (ticks ?? living(before, contacts)))
        const fields = changedFields(before, after)
        if (fields.length === 0) return ownCardView(before, contacts, opened.updatedAt)
        const value = isBlank(after) ? null : await cards.sealed(userId, after)
        if (value !== null && typeof value !== 'string') return value
        const at = clock.now()
        const kept = await noted(session, fields).keepCard(userId, { value, before: opened.value, at })
        if ('kept' in kept) {
          return value === null ? ownCardView(emptyCard, contacts, null) : ownCardView(after, contacts, at)
        }
        if (kept.refused === 'user_not_found') return kept
      }
      return { refused: 'card_changed' }
    },

    /** Also one that cannot be opened. */
    async remove(session: Session): Promise<void> {
      await noted(session, ['removed']).removeCard(session.userId)
    },
  }
}

const NOT_A_CONTACT: FieldProblem = { field: 'contactIds', message: 'names somebody who is not a contact of yours' }

/** A tick whose contact has left, or has another number, never comes back to life. */
const living = (card: KeptCard, contacts: readonly Contact[]): KeptCard['ticks'] =>
  contacts.filter((contact) => isTicked(card, contact)).map(({ id, phone }) => ({ contactId: id, phone }))

function changed(card: KeptCard, update: CardUpdate, ticks: KeptCard['ticks']): KeptCard {
  const { languages, contactIds: _, ...rest } = update
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Partial<Card>
  return { ...card, ...given, ...(languages !== undefined && { languages: [...new Set(languages ?? [])] }), ticks }
}

/** The names of the fields that differ, as the interface calls them; never their contents. */
const changedFields = (before: KeptCard, after: KeptCard): readonly string[] =>
  (Object.keys(emptyCard) as (keyof KeptCard)[])
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => (name === 'ticks' ? 'contactIds' : name))
