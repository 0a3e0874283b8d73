import { type Delivery, hasTarget, isDue, isWaiting } from './delivery.ts'
import { endingMoment } from './ending.ts'
import { type CascadePhase, type Incident, isOpen } from './incident.ts'
import { realarmAt } from './realarm.ts'

/** When a delivery wants attention: it is due, its claim is to be checked, or its provider to be asked. */
function deliveryMoment({ status, claim, dueAt, askAt }: Delivery): number | null {
  if (claim !== null) return claim.checkAt
  if (status === 'scheduled') return dueAt
  return status === 'sent' ? (askAt ?? null) : null
}

function phaseMoment(phase: CascadePhase): number | null {
  switch (phase.name) {
    case 'ending':
      return phase.endsAt
    case 'pausing':
      return phase.nextAt
    case 'running':
    case 'answered':
    case 'exhausted':
      return null
    default:
      return phase satisfies never
  }
}

/** The attempts that are due and leave as soon as their turn comes. */
export const dueAttempts = (incident: Incident, now: number): readonly Delivery[] =>
  incident.held ? [] : incident.deliveries.filter((row) => hasTarget(row) && isDue(row, now))

/**
 * When the dispatcher has to look at this incident next (epoch ms), or null when nothing is ahead. `isLeftOut`:
 * attempts that it has seen to already, as they wait for their turn.
 */
export function nextActionAt(
  incident: Incident,
  isLeftOut: (attemptId: string) => boolean = () => false,
): number | null {
  if (incident.held) return null
  const moments = incident.deliveries.map((row) => (isWaiting(row) && isLeftOut(row.id) ? null : deliveryMoment(row)))
  if (isOpen(incident)) {
    const { cascade, watch } = incident
    moments.push(endingMoment(incident), phaseMoment(cascade.phase), realarmAt(incident), watch?.at ?? null)
  }
  return moments.reduce((earliest, at) => (earliest === null || (at !== null && at < earliest) ? at : earliest), null)
}
