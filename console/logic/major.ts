import type { Item } from '../api/types.ts'
import { isOpen } from './order.ts'

const NEAR_M = 1_000
const NEAR_MS = 30 * 60_000
/** A cluster of fewer is none. */
const LEAST = 2
/** As the service holds them. */
const MAX_ALARMS = 200
const METRES_A_DEGREE = 111_320

/** An alarm with the fields that a thousand comparisons read. */
type Spot = { readonly item: Item; readonly at: number; readonly latitude: number; readonly longitude: number }

const spotsOf = (items: readonly Item[]): readonly Spot[] =>
  items.flatMap((item) =>
    item.position === null
      ? []
      : { item, at: Date.parse(item.pressedAt), latitude: item.position.latitude, longitude: item.position.longitude },
  )

/** Within 1 km and 30 min of each other. */
function isNear(a: Spot, b: Spot): boolean {
  const north = (a.latitude - b.latitude) * METRES_A_DEGREE
  if (Math.abs(north) > NEAR_M || Math.abs(a.at - b.at) > NEAR_MS) return false
  const degrees = Math.abs(a.longitude - b.longitude)
  const east = Math.min(degrees, 360 - degrees) * METRES_A_DEGREE * Math.cos((a.latitude * Math.PI) / 180)
  return Math.hypot(north, east) <= NEAR_M
}

/** A major incident with an open alarm, as far as the board has it. `near`: later alarms, in none yet. */
export type OpenMajor = {
  readonly id: string
  readonly startedAt: string
  readonly items: readonly Item[]
  readonly near: readonly Item[]
}

/** Alarms that may be one event, the earliest first. Nothing is grouped until an operator says so. */
export type Offer = { readonly id: string; readonly startedAt: string; readonly items: readonly Item[] }

const byPress = (a: Item, b: Item): number =>
  a.pressedAt < b.pressedAt ? -1 : a.pressedAt > b.pressedAt ? 1 : a.incidentId < b.incidentId ? -1 : 1

/**
 * Major incidents among the open alarms, and groups offered as one: around the first press, without chains, so that a
 * group does not grow across a valley. A later alarm belongs to the first one that it is near to.
 * Exercises and simulations are in neither.
 */
export function majorsOf(open: readonly Item[]): {
  readonly majors: readonly OpenMajor[]
  readonly offers: readonly Offer[]
} {
  const alarms = open.filter(isOpen).toSorted(byPress)
  const members = Map.groupBy(
    alarms.filter(({ major }) => major !== undefined),
    ({ major }) => major!.id,
  )
  const left = new Set(spotsOf(alarms.filter(({ major, drill }) => major === undefined && !drill)))
  const majors: OpenMajor[] = []
  for (const [id, items] of members) {
    const spots = items.some(({ drill }) => drill) ? [] : spotsOf(items)
    const near = [...left].filter((spot) => spots.some((one) => isNear(one, spot)))
    for (const spot of near) left.delete(spot)
    majors.push({ id, startedAt: items[0]!.major!.startedAt, items, near: near.map(({ item }) => item) })
  }
  const offers: Offer[] = []
  for (const first of left) {
    const around: Spot[] = []
    for (const spot of left) {
      if (spot.at - first.at > NEAR_MS || around.length === MAX_ALARMS) break
      if (isNear(first, spot)) around.push(spot)
    }
    for (const spot of around) left.delete(spot)
    left.delete(first)
    if (around.length < LEAST) continue
    const items = around.map(({ item }) => item)
    offers.push({ id: first.item.incidentId, startedAt: first.item.pressedAt, items })
  }
  return { majors: majors.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1)), offers }
}

/** Alarms that need a look come first, then as on the board, ended ones last. */
export function inMajorOrder(items: readonly Item[]): readonly Item[] {
  const rank = (item: Item): number => (!isOpen(item) ? 9 : item.news !== undefined || item.new ? -1 : item.urgency)
  return items.toSorted((a, b) => rank(a) - rank(b) || byPress(a, b))
}

/** Alarms that *Take* goes through: open, and nobody's. */
export const takeable = (items: readonly Item[]): readonly Item[] =>
  inMajorOrder(items.filter((item) => isOpen(item) && item.takenBy === undefined))

/** An end in the list of names, with the values shown there. */
export type ListedEnd = {
  readonly item: Item
  readonly presses: number
  readonly outcome: 'found_safe' | 'handed_over'
}

/** People counted as safe or handed over: `mine` may be ended by this operator, `others` have another one. */
export function endsOf(
  items: readonly Item[],
  me: string | null,
): { readonly mine: readonly ListedEnd[]; readonly others: readonly Item[] } {
  const counted = items.filter((item) => isOpen(item) && item.major?.head !== undefined)
  const isOthers = ({ takenBy }: Item): boolean => takenBy !== undefined && takenBy.operatorId !== me
  return {
    mine: counted
      .filter((item) => !isOthers(item))
      .map((item) => ({
        item,
        presses: item.presses,
        outcome: item.major!.head!.state === 'safe' ? 'found_safe' : 'handed_over',
      })),
    others: counted.filter(isOthers),
  }
}
