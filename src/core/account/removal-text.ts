import { DAY } from '../../lib/durations.ts'

/** A removal that somebody with an unlocked phone may have asked for. */
export type AskedRemoval = 'phoneLeaves' | 'phoneLeft' | 'trackerLeft' | 'replaced' | 'erasure'

/**
 * A text about it that has not left yet. `dueAt`: of the next try; epoch ms, like `until`. `phone`: the number that was
 * `replaced`; null: the proved one. app.md#removing.
 */
export type RemovalText = {
  readonly id: string
  readonly userId: string
  readonly asked: AskedRemoval
  readonly until: number
  readonly dueAt: number
  readonly phone: string | null
}

/** Of the whole site. Beyond them none is kept: the person's phones show each removal all the same. */
export const MAX_REMOVAL_TEXTS = 2_000
/** Of one user about one kind: a waiting text already says the same. */
export const MAX_OF_KIND = 2

/** How long the first text may take to leave. */
const LASTS_MS = DAY
/** Told again this long before it takes effect: the first text may have been read by whoever asked for it. */
const TOLD_AGAIN_MS = DAY

/** The texts about something that is asked for at `now` and takes effect `inMs` later, 0 for at once. */
export function removalTexts(
  about: Pick<RemovalText, 'userId' | 'asked'>,
  { now, inMs, newId }: { readonly now: number; readonly inMs: number; readonly newId: () => string },
): readonly RemovalText[] {
  const first = { ...about, id: newId(), dueAt: now, until: now + LASTS_MS, phone: null }
  if (inMs <= TOLD_AGAIN_MS) return [first]
  return [first, { ...first, id: newId(), dueAt: now + inMs - TOLD_AGAIN_MS, until: now + inMs }]
}
