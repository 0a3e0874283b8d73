import type { Lease } from '../../core/incident/delivery.ts'
import { SECOND } from '../../lib/durations.ts'
import type { Due, DueIncidents } from '../../ports/store.ts'

/** The most incidents of one look. The next look follows immediately. */
const BATCH = 500
/** Drills of one look: an alarm that becomes due meanwhile waits for no more than these. */
const DRILLS_A_LOOK = 50
/** While looks happen, the store is asked at least this often, whatever this process knows. */
const POLL_INTERVAL_MS = SECOND
/** A query costs the store time for every incident in line, so after one the store rests 1 ms per this many. */
const IN_LINE_PER_REST_MS = 100

const NEVER = Number.POSITIVE_INFINITY
const NOTHING: Due = { real: [], drills: [] }

/**
 * Knows which incidents need the dispatcher's attention, and when. An incident is *in line* while attempts of it wait
 * for their turn at a provider. In the store it is due all that time, so the store is asked only about the other
 * incidents, and the agenda itself keeps the moment at which anything else of an incident in line is due. All moments
 * are epoch ms.
 */
export class Agenda {
  readonly #store: Pick<DueIncidents, 'due' | 'nextActionAt'>
  readonly #inLine = new Map<string, number>()
  /** The drills among them, which come after everything real. */
  readonly #drills = new Set<string>()
  /** Drills that were due at an earlier look and are still to be handled. */
  #drillsLeft: string[] = []
  /** When one of the others next needs attention, as far as this process knows. The store need not be asked sooner. */
  #othersAt = 0
  #askedAt = 0
  #restMs = 0
  #otherNodes: readonly Lease[] = []

  constructor(store: Pick<DueIncidents, 'due' | 'nextActionAt'>) {
    this.#store = store
  }

  /** The earliest moment at which an incident needs attention; infinite if none does. */
  get nextAt(): number {
    return Math.min(this.#othersAt, this.#inLineAt())
  }

  /**
   * Records that an incident has changed and needs attention at `at` (null: never). If `incidentId` is null, any
   * incident may have changed. Returns when to look. An incident in line is looked at `now`, because a waiting attempt
   * may have been cancelled or joined by another.
   */
  changed(incidentId: string | null, at: number | null, now: number): number {
    if (incidentId !== null && this.#inLine.has(incidentId)) {
      this.#inLine.set(incidentId, now)
      return now
    }
    this.othersFrom(at ?? NEVER)
    if (incidentId !== null || this.#inLine.size === 0) return at ?? NEVER
    for (const id of this.#inLine.keys()) this.#inLine.set(id, now)
    return now
  }

  /** Puts the incident in line. Apart from its turns it needs attention at `at`. */
  standsInLine(incidentId: string, at: number, isDrill = false): void {
    this.#inLine.set(incidentId, at)
    if (isDrill) this.#drills.add(incidentId)
  }

  /** Takes the incident out of line: no attempt of it waits for a turn now. It needs attention at `at`. */
  isOutOfLine(incidentId: string, at: number): void {
    this.#inLine.delete(incidentId)
    this.#drills.delete(incidentId)
    this.othersFrom(at)
  }

  /** An incident that is not in line may need attention from `at` on. */
  othersFrom(at: number): void {
    this.#othersAt = Math.min(this.#othersAt, at)
  }

  /** The clock was set: the agenda's own moments move along, and the store is asked again about the others. */
  shift(byMs: number): void {
    for (const [incidentId, at] of this.#inLine) this.#inLine.set(incidentId, at + byMs)
    this.#othersAt = 0
  }

  /** From now on, the claims of these living nodes need no attention. */
  leavesTo(otherNodes: readonly Lease[]): void {
    this.#otherNodes = otherNodes
  }

  /**
   * Incidents that need attention at `now`: all real ones, and some drills. `isMore`: other drills are left for the
   * next look, which has to follow at once. Rejects with a StoreError.
   */
  async due(now: number): Promise<Due & { readonly isMore: boolean }> {
    const real: string[] = []
    const drills: string[] = []
    for (const [incidentId, at] of this.#inLine) {
      const found = this.#drills.has(incidentId) ? drills : real
      if (at <= now && found.length < BATCH) found.push(incidentId)
    }
    const others = await this.#othersDue(now)
    // Each one once before any of them again, so that the first ones cannot take all the looks.
    if (this.#drillsLeft.length === 0) this.#drillsLeft = [...others.drills, ...drills]
    const some = this.#drillsLeft.splice(0, DRILLS_A_LOOK)
    return { real: [...real, ...others.real], drills: some, isMore: this.#drillsLeft.length > 0 }
  }

  /**
   * Milliseconds by which the most overdue incident is late; 0 if none is. Waiting for a turn does not count as late.
   */
  async overdueMs(now: number): Promise<number> {
    const others = await this.#store.nextActionAt([...this.#inLine.keys()], this.#otherNodes)
    return Math.max(0, now - Math.min(others ?? NEVER, this.#inLineAt()))
  }

  /** Limits the rate of queries: turns come often, and the store need not be asked at each of them. */
  async #othersDue(now: number): Promise<Due> {
    // Absolute, so that a clock that was set back does not suppress queries.
    const sinceMs = Math.abs(now - this.#askedAt)
    if (sinceMs < this.#restMs || (now < this.#othersAt && sinceMs < POLL_INTERVAL_MS)) return NOTHING
    this.#askedAt = now
    this.#othersAt = NEVER
    const inLine = [...this.#inLine.keys()]
    const due = await this.#store.due(now, BATCH, inLine, this.#otherNodes)
    const count = due.real.length + due.drills.length
    // A full batch means that more are waiting, so no rest.
    this.#restMs = count < BATCH ? Math.floor(inLine.length / IN_LINE_PER_REST_MS) : 0
    this.othersFrom(count > 0 ? now : ((await this.#store.nextActionAt(inLine, this.#otherNodes)) ?? NEVER))
    return due
  }

  #inLineAt(): number {
    let earliest = NEVER
    for (const at of this.#inLine.values()) if (at < earliest) earliest = at
    return earliest
  }
}
