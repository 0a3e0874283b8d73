import { type Incident, isOpen } from './incident.ts'
import { lastLook, leftBy } from './owner.ts'
import { answerOf } from './standing.ts'

/**
 * Why an operator has to look at an open incident, and since when (epoch ms). `pressed`: no operator has opened or
 * taken it. Since the last one did: `pressed_again`; `message`: somebody has written; `helper_lost`: the last helper
 * withdrew, fell silent or left. rules.md#standing.
 */
export type News = { readonly what: 'pressed' | 'pressed_again' | 'message' | 'helper_lost'; readonly at: number }

/** Null: nothing since an operator last looked. `heardAt`: the newest message of the person or a contact. */
export function newsForOperators(incident: Incident, heardAt?: number): News | null {
  if (!isOpen(incident)) return null
  const { openedAt, lastAlertAt } = incident
  const look = lastLook(incident)
  if (look === null) return { what: 'pressed', at: openedAt }
  // By the alert that the operator saw, where that is known: a clock set back must not hide a press.
  const isPressedSince = look.alertAt === undefined ? lastAlertAt > look.at : look.alertAt !== lastAlertAt
  if (isPressedSince) return { what: 'pressed_again', at: lastAlertAt }
  const lostAt = helperLostAt(incident)
  if (lostAt !== null && lostAt > look.at) return { what: 'helper_lost', at: lostAt }
  return heardAt !== undefined && heardAt > look.at ? { what: 'message', at: heardAt } : null
}

/** Null while somebody helps. The alarm that follows a loss counts with its first round: later ones are no news. */
function helperLostAt(incident: Incident): number | null {
  const { cascade, watch, lastAnswer, settings } = incident
  const answer = answerOf(incident)
  if (answer !== null && !answer.overdue) return null
  const isFirstRound = cascade.pauses === 0 && cascade.roundsLeft >= settings.rounds - 1
  const isAlarmed = isFirstRound && (cascade.cause.by === 'withdrawal' || cascade.cause.by === 'watch')
  const moments = [
    ...(isAlarmed ? [cascade.startedAt] : []),
    ...(watch?.withdrawn && lastAnswer !== null ? [lastAnswer.at] : []),
    ...(answer === null ? [leftBy(incident)?.at ?? []].flat() : []),
  ]
  return moments.length === 0 ? null : Math.max(...moments)
}
