import { computed, signal } from '@preact/signals'
import { send } from '../api/client.ts'
import type { Case, Item } from '../api/types.ts'
import { majorsOf, type Offer } from '../logic/major.ts'
import { learn, open } from './board.ts'
import { putAwayIn } from './put-away.ts'

const found = computed(() => majorsOf(open.value))
/** Major incidents with an open alarm. */
export const majors = computed(() => found.value.majors)

const MAX_PUT_AWAY = 50
const putAway = putAwayIn('tocsin.offers', MAX_PUT_AWAY)
/** With a later alarm it is another offer, also where one has ended meanwhile. */
const keyOf = ({ id, items }: Offer): string =>
  `${id} ${items
    .map(({ openedAt }) => openedAt)
    .sort()
    .at(-1)}`
/** Alarms that may be one event, unless this browser has said that they are none. */
export const offers = computed(() => found.value.offers.filter((offer) => !putAway.ids.value.includes(keyOf(offer))))
export const notOne = (offer: Offer): void => putAway.add(keyOf(offer))

type Part = {
  readonly id: string | null
  readonly from?: string | null
  readonly assignedTo?: string | null
  readonly head?: 'safe' | 'handed_over' | null
  readonly presses?: number
}

/** Notes the part of one alarm in a major incident. */
export async function notePart({ incidentId }: Pick<Item, 'incidentId'>, part: Part): Promise<void> {
  learn((await send<Case>(`/incidents/${incidentId}/major`, part)).incident)
}

/** Major incidents that are being opened here: how many alarms are still to come. */
export const opening = signal<ReadonlyMap<string, number>>(new Map())

function isOpening(id: string, left: number): void {
  const next = new Map(opening.peek())
  if (left === 0) next.delete(id)
  else next.set(id, left)
  opening.value = next
}

/** Opens an offer as a group, for every screen. One after the other: each alarm is asked for by itself. */
export async function openMajor({ id, items }: Offer): Promise<void> {
  if (opening.peek().has(id)) return
  try {
    for (const [n, item] of items.entries()) {
      isOpening(id, items.length - n)
      // Of the rest, one that has ended or moved meanwhile is left out.
      await notePart(item, { id }).catch((error) => {
        if (n === 0) throw error
      })
    }
  } finally {
    isOpening(id, 0)
  }
}
