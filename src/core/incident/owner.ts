import type { Command } from './command.ts'
import { asBefore, withdrawn } from './decline.ts'
import { isAwaited } from './escalation.ts'
import { type Incident, isOpen, type Left, type TakenBy } from './incident.ts'
import { isHelped } from './rounds.ts'

type Of<T extends Command['type']> = Omit<Extract<Command, { type: T }>, 'type'>

/**
 * When an operator last looked: opened it on a screen or took it. Whoever accepts a hand-over has opened none of what
 * they get, so that is no look. Null: nobody has.
 */
export function lastLook({ seen, takenBy }: Incident): NonNullable<Incident['seen']> | null {
  const took = takenBy && !takenBy.from?.agreed ? { at: takenBy.at, name: takenBy.name ?? '' } : null
  if (!seen || took === null) return seen ?? took
  return seen.at >= took.at ? seen : took
}

/**
 * Hands the incident to another operator. That is not an answer to an alarm: running steps go on and due ones stay due.
 * No change if somebody other than `from` has it. access.md#shifts.
 */
export function takeOver(incident: Incident, { operatorId, name, from, agreed, now }: Of<'takeOver'>): Incident {
  const { takenBy, lastAnswer } = incident
  if (!isOpen(incident) || !takenBy || (takenBy.operatorId ?? null) !== from || operatorId === from) return incident
  const wasLast = lastAnswer?.contactId === null && lastAnswer.at === takenBy.at
  const look = agreed ? lastLook(incident) : null
  return {
    ...incident,
    takenBy: {
      ...{ at: now, name, operatorId, round: roundOf(incident, takenBy) },
      from: { operatorId: from, name: takenBy.name, ...(agreed && { agreed }) },
    },
    ...(look && { seen: look }),
    ...(wasLast && { lastAnswer: { at: now, contactId: null, name } }),
  }
}

/** The round that was answered. Earlier versions did not record it: 0 if it was an earlier alarm's. */
const roundOf = (incident: Incident, { round }: TakenBy): number =>
  round ?? (isHelped({ ...incident, contacts: [] }) ? incident.cascade.round : 0)

/**
 * Frees the incident of an operator who has left, whatever its status. Once nobody is on shift for it either, the
 * contacts are alarmed, as when the last helper withdraws. No change if somebody else has it. access.md#shifts.
 */
export function leave(incident: Incident, { operatorId, isAlone, now }: Of<'leave'>): Incident {
  if (!isOpen(incident)) return incident
  const { takenBy, left } = incident
  if (!takenBy) {
    const isWaiting = left?.operatorId === operatorId && !left.alarmed && isAlone
    return isWaiting ? abandoned(incident, left, now) : incident
  }
  if (takenBy.operatorId !== operatorId) return incident
  const gone: Left = { at: now, operatorId, name: takenBy.name }
  const untaken: Incident = { ...incident, takenBy: null, left: gone }
  if (isHelped(untaken)) return asBefore({ ...untaken, left: { ...gone, alarmed: true } }, takenBy)
  return isAlone ? abandoned(untaken, gone, now) : untaken
}

/** Alarms the contacts, unless an alarm is already running: nobody is told of it twice. */
function abandoned(incident: Incident, left: Left, now: number): Incident {
  const settled: Incident = { ...incident, left: { ...left, alarmed: true } }
  if (isAwaited(settled) || isHelped(settled)) return settled
  return withdrawn(settled, { contactId: null, name: left.name }, now)
}

/** The operator who left while in charge, as long as nobody has it and nobody has answered. */
export const leftBy = ({ left, takenBy }: Incident): Left | null => (takenBy ? null : (left ?? null))

/**
 * The operator whose leaving matters to the incident: the one who has it, or who had it and left while others were on
 * shift. Null if there is none.
 */
export function ownerIdOf(incident: Incident): string | null {
  if (!isOpen(incident)) return null
  if (incident.takenBy) return incident.takenBy.operatorId ?? null
  return incident.left?.alarmed === undefined ? (incident.left?.operatorId ?? null) : null
}
