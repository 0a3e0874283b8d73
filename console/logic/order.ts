import type { Item } from '../api/types.ts'

/** The most urgent first; among equals the one that has waited longest. Held ones wait for an operator, so not last. */
export const byUrgency = (a: Item, b: Item): number =>
  a.urgency - b.urgency || before(a.openedAt, b.openedAt) || before(a.incidentId, b.incidentId)

const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const isOpen = ({ status }: Item): boolean => status === 'active' || status === 'acknowledged'

/** Something has happened since an operator last looked. */
export const needsLook = ({ news }: Pick<Item, 'news'>): boolean => news !== undefined && news.what !== 'pressed'

/** Whether the board shows it: also one that has ended, while presses that go on are put off. */
const isOnBoard = (item: Item): boolean => isOpen(item) || item.putOff !== undefined

/** As in the event `drill`. A simulated SOS, although marked `drill` as well, is not one: it rings, and it counts. */
export const isDrill = ({ drill, simulated }: Pick<Item, 'drill' | 'simulated'>): boolean => drill && !simulated

/** Takes `news` over, each unless a newer one is there already: answers and the stream overtake each other. */
export function merged(items: ReadonlyMap<string, Item>, news: Iterable<Item>): ReadonlyMap<string, Item> {
  const next = new Map(items)
  for (const item of news) {
    const known = next.get(item.incidentId)
    if (known !== undefined && known.version > item.version) continue
    if (isOnBoard(item)) next.set(item.incidentId, item)
    else next.delete(item.incidentId)
  }
  return next
}

/**
 * `items` with the positions of `read`, which have no event and no version of their own. Nothing else is copied: an
 * incident closed since would reappear.
 */
export function moved(items: ReadonlyMap<string, Item>, read: readonly Item[]): ReadonlyMap<string, Item> {
  const next = new Map(items)
  for (const { incidentId, version, position, places } of read) {
    const known = next.get(incidentId)
    if (known?.version !== version) continue
    const { places: _, ...rest } = known
    next.set(incidentId, { ...rest, position, ...(places && { places }) })
  }
  return next
}

/**
 * The visible ones of `count` rows of the same height, with some to spare on either side. `scrolledPx`: how far above
 * the visible part the list begins; negative: below.
 */
export function windowOf(count: number, rowPx: number, scrolledPx: number, heightPx: number, spare = 6) {
  const first = Math.max(0, Math.min(count, Math.floor(scrolledPx / rowPx)) - spare)
  const last = Math.max(first, Math.min(count, Math.ceil((scrolledPx + heightPx) / rowPx) + spare))
  return { first, last, beforePx: first * rowPx, afterPx: Math.max(0, count - last) * rowPx }
}
