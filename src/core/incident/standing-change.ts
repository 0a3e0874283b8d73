import type { Incident } from './incident.ts'
import { newsForOperators } from './news.ts'
import { isNobodyLeft } from './nobody-left.ts'
import { leftBy } from './owner.ts'
import { nextStepOf, progressOf } from './progress.ts'
import { answerOf, firstMessageOf, isDelivered, urgencyOf } from './standing.ts'

/**
 * Whether a change alters what a board shows, apart from the press that may have caused it. Most such changes are
 * events as well; an operator who takes over what a contact has answered, or a late receipt, is not.
 */
export const changesStanding = (before: Incident, after: Incident): boolean =>
  before !== after && standingOf(before) !== standingOf(after)

const standingOf = (incident: Incident): string =>
  JSON.stringify([
    urgencyOf(incident),
    answerOf(incident),
    isDelivered(incident),
    incident.held ?? false,
    incident.cascade.round,
    incident.contactsChangedAt ?? null,
    incident.accountChanged?.at ?? null,
    isNobodyLeft(incident),
    incident.takenBy ?? null,
    leftBy(incident),
    firstMessageOf(incident),
    newsForOperators(incident),
    incident.seen?.at ?? null,
    nextStepOf(incident),
    progressOf(incident),
    incident.putOff?.until ?? null,
    incident.major ?? null,
  ])
