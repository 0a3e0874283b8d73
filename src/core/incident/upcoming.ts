import { type Channel, isWaiting, type Purpose } from './delivery.ts'
import { type Incident, isOpen } from './incident.ts'
import { realarmAt } from './realarm.ts'

/**
 * The next automatic step and its time (epoch ms; a past time means as soon as possible). `message`: an attempt.
 * `round_ends`: without an answer the next round follows, or a pause. `round`: another round after a pause. `realarm`:
 * an alarm for a press that came too soon. `check_in`: the helper is asked. `others_alarmed`: the helper has not
 * answered, or has withdrawn. `closes`: the automatic close.
 */
export type Upcoming = { readonly at: number } & (
  | {
      readonly what: 'message'
      readonly purpose: Purpose
      readonly channel: Channel
      readonly contactId: string | null
    }
  | { readonly what: 'round_ends' | 'round' | 'realarm' | 'check_in' | 'others_alarmed' | 'closes' }
)

/** The upcoming steps, soonest first. None while the incident is held. */
export function upcomingOf(incident: Incident): readonly Upcoming[] {
  if (incident.held) return []
  const messages = incident.deliveries
    .filter(isWaiting)
    .map(
      ({ dueAt: at, purpose, channel, contactId }): Upcoming => ({ at, what: 'message', purpose, channel, contactId }),
    )
  return [...messages, ...stepsOf(incident)].toSorted((a, b) => a.at - b.at)
}

function stepsOf(incident: Incident): readonly Upcoming[] {
  if (!isOpen(incident)) return []
  const { phase } = incident.cascade
  const { watch, autoResolveAt } = incident
  const press = realarmAt(incident)
  return [
    ...(phase.name === 'ending' ? [{ at: phase.endsAt, what: 'round_ends' } as const] : []),
    ...(phase.name === 'pausing' ? [{ at: phase.nextAt, what: 'round' } as const] : []),
    ...(press === null ? [] : [{ at: press, what: 'realarm' } as const]),
    ...(watch === null ? [] : [{ at: watch.at, what: watch.asked ? 'others_alarmed' : 'check_in' } as const]),
    { at: autoResolveAt, what: 'closes' },
  ]
}
