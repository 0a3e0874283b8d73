import { isoAt } from '../ingest/event-time.ts'

export const hearings = ['deaf', 'hard_of_hearing'] as const
export type HearingLoss = (typeof hearings)[number]

/** A person's card for helpers, as that person wrote it. Null and empty: not said. rules.md#card. */
export type Card = {
  /** BCP 47, the best spoken one first. */
  readonly languages: readonly string[]
  readonly hearing: HearingLoss | null
  readonly yearOfBirth: number | null
  readonly peopleWithMe: string | null
  readonly vehicle: string | null
  readonly note: string | null
}

/** A contact whom the person lets see the card, at the number that the contact had then. */
export type CardTick = { readonly contactId: string; readonly phone: string }

/** A card as it is kept: sealed, with its ticks. */
export type KeptCard = Card & { readonly ticks: readonly CardTick[] }

export const emptyCard: KeptCard = {
  languages: [],
  hearing: null,
  yearOfBirth: null,
  peopleWithMe: null,
  vehicle: null,
  note: null,
  ticks: [],
}

/** Whether nothing is on it. Ticks alone show nobody anything. */
export const isBlank = ({ languages, ticks: _, ...fields }: KeptCard): boolean =>
  languages.length === 0 && Object.values(fields).every((field) => field === null)

/** The card without its ticks, as helpers see it. */
export const cardOf = ({ languages, hearing, yearOfBirth, peopleWithMe, vehicle, note }: Card): Card => ({
  languages,
  hearing,
  yearOfBirth,
  peopleWithMe,
  vehicle,
  note,
})

type Known = { readonly id: string; readonly phone: string }

/** Whether the person ticked this contact, at the number that the contact has now. */
export const isTicked = ({ ticks }: Pick<KeptCard, 'ticks'>, { id, phone }: Known): boolean =>
  ticks.some((tick) => tick.contactId === id && tick.phone === phone)

/** The ticks for these contacts at their present numbers. Null: one of them is not a contact of the person. */
export function ticksFor(contactIds: readonly string[], contacts: readonly Known[]): readonly CardTick[] | null {
  const ticks = [...new Set(contactIds)].flatMap((contactId) => {
    const known = contacts.find(({ id }) => id === contactId)
    return known === undefined ? [] : [{ contactId, phone: known.phone }]
  })
  return ticks.length === new Set(contactIds).size ? ticks : null
}

/**
 * The card as its person sees it. Ticks that no longer count are left out, so that an app which sends back the card as
 * read renews none.
 */
export const ownCardView = (kept: KeptCard, contacts: readonly Known[], updatedAt: number | null) => ({
  ...cardOf(kept),
  contactIds: contacts.filter((contact) => isTicked(kept, contact)).map(({ id }) => id),
  updatedAt: updatedAt === null ? null : isoAt(updatedAt),
})
