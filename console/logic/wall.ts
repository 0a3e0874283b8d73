import type { Item } from '../api/types.ts'
import { byUrgency, needsLook } from './order.ts'

/** The detail of a card: everything, or the person and the state, or both on one line. */
export type Detail = 'full' | 'short' | 'line'

/** The minimum size of a card in its own font size, and the scales that are tried, the largest first. */
const details: readonly (readonly [Detail, widthEm: number, heightEm: number, scales: readonly number[]])[] = [
  ['full', 22, 11, [2.4, 2, 1.6, 1.3, 1]],
  ['short', 15, 3.6, [1.4, 1.2, 1]],
  ['line', 13, 1.8, [1, 0.85]],
]
/** A screen's shorter side is this many times its letters: they are read from the other side of a room. */
const LETTERS = 48
const LEAST_PX = 14
/** Between cards, in their font size. */
const GAP_EM = 0.3

export type WallPlan = {
  readonly detail: Detail
  readonly fontPx: number
  readonly columns: number
  readonly rows: number
}

/** The most detail, and then the largest letters, with which `count` cards fit; else as many as can still be read. */
export function wallPlan(count: number, width: number, height: number, screen: number): WallPlan {
  const letterPx = Math.max(LEAST_PX, screen / LETTERS)
  let plan: WallPlan = { detail: 'line', fontPx: letterPx, columns: 1, rows: 1 }
  for (const [detail, widthEm, heightEm, scales] of details) {
    for (const scale of scales) {
      const fontPx = Math.max(LEAST_PX, letterPx * scale)
      const fits = (px: number, em: number): number =>
        Math.max(1, Math.floor((px + GAP_EM * fontPx) / ((em + GAP_EM) * fontPx)))
      plan = { detail, fontPx, columns: fits(width, widthEm), rows: fits(height, heightEm) }
      if (plan.columns * plan.rows >= count) return plan
    }
  }
  return plan
}

const newestFirst = (a: Item, b: Item): number => (a.openedAt < b.openedAt ? 1 : a.openedAt > b.openedAt ? -1 : 0)

const byNeed = (a: Item, b: Item): number => Number(needsLook(b)) - Number(needsLook(a)) || byUrgency(a, b)

/**
 * The alarms for which there is room, those first that an operator has to look at again, then the most urgent. Where
 * not all have it, a third of the room is kept for the newest: an alarm that has just come is never below others.
 */
export function wallItems(items: readonly Item[], room: number): readonly Item[] {
  if (items.length <= room) return items
  const kept = new Set(items.toSorted(newestFirst).slice(0, Math.max(1, Math.floor(room / 3))))
  for (const item of items.toSorted(byNeed)) {
    if (kept.size >= room) break
    kept.add(item)
  }
  return [...kept].sort(byNeed)
}
