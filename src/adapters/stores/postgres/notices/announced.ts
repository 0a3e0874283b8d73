import type { Incident } from '../../../../core/incident/incident.ts'
import { BoundedMap } from '../../../../lib/bounded-map.ts'

/** About 100 bytes each. Forgetting one costs a read of the notices, or repeats an event. */
const MAX_INCIDENTS = 50_000

const RANKS = { active: 0, acknowledged: 1, cancelled: 2, resolved: 2 } as const satisfies Record<
  Incident['state']['status'],
  number
>

/** The progress of an incident: a number that grows with every commit that has events (rules.md#events). */
export const markOf = ({ snapshotVersion, state }: Pick<Incident, 'snapshotVersion' | 'state'>): number =>
  4 * snapshotVersion + RANKS[state.status]

/** The events of each incident that this process has announced, by their latest mark. */
export class Announced {
  readonly #marks = new BoundedMap<string, number>(MAX_INCIDENTS)

  /** Whether all events up to this mark have been announced. */
  has(incidentId: string, mark: number): boolean {
    return (this.#marks.get(incidentId) ?? 0) >= mark
  }

  /** Marks the events as announced now. False: they were before. */
  take(incidentId: string, mark: number): boolean {
    if (this.has(incidentId, mark)) return false
    this.#marks.set(incidentId, mark)
    return true
  }

  /** Announced events may be undone in the database, and their marks used again for others. */
  forgetAll(): void {
    this.#marks.clear()
  }
}
