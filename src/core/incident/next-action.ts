import type { Delivery } from './delivery.ts'
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

/** When the dispatcher has to look at this incident next (epoch ms), or null when nothing is ahead. */
export function nextActionAt(incident: Incident): number | null {
  if (incident.held) return null
  const moments = incident.deliveries.map(deliveryMoment)
  if (isOpen(incident)) {
    const { cascade, watch } = incident
    moments.push(endingMoment(incident), phaseMoment(cascade.phase), realarmAt(incident), watch?.at ?? null)
  }
  return moments.reduce((earliest, at) => (earliest === null || (at !== null && at < earliest) ? at : earliest), null)
}
