import type { Item } from '../api/types.ts'
import { byUrgency } from './order.ts'

/** The sections of the board, from top to bottom. */
export const sections = ['new', 'unanswered', 'coming', 'taken'] as const
export type Section = (typeof sections)[number]

/**
 * `new`: an operator has to look, first or again. Of the others, by who helps. One that has ended, while its presses
 * are put off, waits for an operator.
 */
export function sectionOf(item: Pick<Item, 'news' | 'new' | 'urgency'>): Section {
  // A service of an earlier version says only `new`.
  if (item.news !== undefined || item.new) return 'new'
  if (item.urgency === 3) return 'coming'
  return item.urgency === 4 ? 'taken' : 'unanswered'
}

/** The newest news first: an alarm that has just come is never below others. */
const byNews = (a: Item, b: Item): number => {
  const [at, other] = [a.news?.at ?? a.openedAt, b.news?.at ?? b.openedAt]
  return at === other ? byUrgency(a, b) : at < other ? 1 : -1
}

/** `items`, the most urgent first, by section. */
export function inSections(items: readonly Item[]): Readonly<Record<Section, readonly Item[]>> {
  const found: Record<Section, Item[]> = { new: [], unanswered: [], coming: [], taken: [] }
  for (const item of items) found[sectionOf(item)].push(item)
  found.new.sort(byNews)
  return found
}

/** A stage of the progress strip. `answered` is done once somebody helps. */
export type Stage = {
  readonly name: 'message' | 'call' | 'others' | 'answered'
  readonly state: NonNullable<NonNullable<Item['progress']>['message']>
}

/** SMS, call, next contact, answer: those that this alarm has. */
export function stagesOf({ progress, urgency }: Pick<Item, 'progress' | 'urgency'>): readonly Stage[] {
  if (progress === undefined) return []
  const isHelped = urgency === 3 || urgency === 4
  const names = ['message', 'call', 'others'] as const
  return [
    ...names.flatMap((name): readonly Stage[] => {
      const state = progress[name]
      return state === undefined ? [] : [{ name, state }]
    }),
    { name: 'answered', state: isHelped ? 'done' : 'ahead' },
  ]
}
