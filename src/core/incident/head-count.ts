import type { EndOutcome, HeadState } from './incident.ts'

/** The fields of a board item that the head count reads. */
type Person = {
  readonly answer: object | null
  readonly closing: { readonly by: string | null; readonly outcome?: EndOutcome | undefined } | null
  readonly major?: { readonly head?: { readonly state: HeadState } | undefined } | undefined
}

/**
 * `pressed`: nobody has answered. `ended`: from the person's own phone or by the system, so nobody knows. The others as
 * an operator counted them or, of one that was ended, as its outcome says.
 */
export type HeadStanding = 'pressed' | 'answered' | 'safe' | 'handed_over' | 'ended'

export function headStanding({ answer, closing, major }: Person): HeadStanding {
  if (major?.head !== undefined) return major.head.state
  if (closing === null) return answer === null ? 'pressed' : 'answered'
  if (closing.outcome === 'hospital' || closing.outcome === 'handed_over') return 'handed_over'
  return closing.by === 'operator' || closing.by === 'contact' ? 'safe' : 'ended'
}

/**
 * The persons of a major incident. `pressed`: all of them. `answered`: somebody helps, and they are not counted yet.
 */
export type HeadCount = Readonly<Record<'pressed' | 'answered' | 'safe' | 'handedOver' | 'ended', number>>

export function headCount(people: readonly Person[]): HeadCount {
  const of = (standing: HeadStanding): number => people.filter((one) => headStanding(one) === standing).length
  return {
    pressed: people.length,
    answered: of('answered'),
    safe: of('safe'),
    handedOver: of('handed_over'),
    ended: of('ended'),
  }
}
