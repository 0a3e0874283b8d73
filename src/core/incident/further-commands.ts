import type { Command } from './command.ts'
import type { Verdict } from './decision.ts'
import type { Incident } from './incident.ts'
import { isOwnEnd } from './put-off.ts'

/** Commands for other incidents of the same owner, decided in the same commit. */
export type FurtherCommands = {
  /** Ends the exercise that is open. */
  readonly drill: Extract<Command, { type: 'overtake' }> | null
  /** For the last incident, if it puts presses off. */
  readonly putOff: Extract<Command, { type: 'endPutOff' }> | null
}

/**
 * A real press that opens an incident ends the open exercise and the put-off. So does an end by the person, for the
 * put-off, while nothing is open. `incident`: the one that `command` found. preparing.md#drills, rules.md#put-off.
 */
export function furtherCommands(incident: Incident | null, command: Command, verdict: Verdict): FurtherCommands {
  const { now } = command
  if (command.type === 'raise' && verdict === 'opened') {
    return { drill: { type: 'overtake', now }, putOff: { type: 'endPutOff', now } }
  }
  const endsPutOff = isOwnEnd(command) && incident === null && verdict !== 'too_late'
  return { drill: null, putOff: endsPutOff ? { type: 'endPutOff', now, byUser: true } : null }
}
