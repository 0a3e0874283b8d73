import { type Delivery, hasTarget, isDue } from './delivery.ts'
import { endingMoment } from './ending.ts'
import { type CascadePhase, type Incident, isOpen } from './incident.ts'
import { onCallAt } from './on-call.ts'
import { putOffEnd } from './put-off.ts'
import { realarmAt } from './realarm.ts'

/** When a delivery needs attention: when it is due, its claim must be checked, or its provider must be asked. */
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

/** The due attempts, which leave as soon as it is their turn. */
export const dueAttempts = (incident: Incident, now: number): readonly Delivery[] =>
  incident.held ? [] : incident.deliveries.filter((row) => hasTarget(row) && isDue(row, now))

/** The earliest check of each lease's claims in this incident, by lease token. Empty if the incident is held. */
export function claimMoments({ held, deliveries }: Incident): ReadonlyMap<number, number> {
  const moments = new Map<number, number>()
  for (const { claim } of held ? [] : deliveries) {
    if (claim?.by === undefined) continue
    const { token } = claim.by
    moments.set(token, Math.min(moments.get(token) ?? claim.checkAt, claim.checkAt))
  }
  return moments
}

/**
 * When the dispatcher must look at this incident next (epoch ms), or null if nothing is ahead. `isLeftOut`: attempts
 * that are already taken care of, because they wait for their turn or another node has claimed them.
 */
export function nextActionAt(incident: Incident, isLeftOut: (row: Delivery) => boolean = () => false): number | null {
  if (incident.held) return null
  let earliest: number | null = null
  for (const row of incident.deliveries) if (!isLeftOut(row)) earliest = earlier(earliest, deliveryMoment(row))
  if (!isOpen(incident)) return incident.putOff ? earlier(earliest, putOffEnd(incident.putOff)) : earliest
  const { cascade, watch } = incident
  const moments = [
    ...[endingMoment(incident), phaseMoment(cascade.phase), realarmAt(incident)],
    ...[watch?.at ?? null, onCallAt(incident)],
  ]
  return moments.reduce(earlier, earliest)
}

const earlier = (one: number | null, other: number | null): number | null =>
  other === null || (one !== null && one <= other) ? one : other
