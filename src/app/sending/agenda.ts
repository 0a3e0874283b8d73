import { SECOND } from '../../lib/durations.ts'
import type { DueIncidents } from '../../ports/store.ts'

/** How many incidents one look takes on. The next look follows at once. */
const BATCH = 500
/** While there are looks, the store is asked what is due at least this often, whatever this process knows. */
const ASK_EVERY_MS = SECOND
/** A question costs the store time for each incident in line: after one it rests a millisecond for so many of them. */
const IN_LINE_PER_REST_MS = 100

const NEVER = Number.POSITIVE_INFINITY

/**
 * Which incidents want the dispatcher's attention, and when. An incident is *in line* while attempts of it wait for
 * their turn at a provider. To the store it is due all that time, so the store is asked about all others, and about
 * those in line this keeps the moment at which anything else of them is due. All moments are epoch ms.
 */
export class Agenda {
  readonly #store: Pick<DueIncidents, 'due' | 'nextActionAt'>
  readonly #inLine = new Map<string, number>()
  /** When one of the others wants attention next, as far as this process knows: before that the store is not asked. */
  #othersAt = 0
  #askedAt = 0
  #restMs = 0

  constructor(store: Pick<DueIncidents, 'due' | 'nextActionAt'>) {
    this.#store = store
  }

  /** The earliest moment at which an incident wants attention; infinite if none does. */
  get nextAt(): number {
    return Math.min(this.#othersAt, this.#inLineAt())
  }

  /**
   * Notes that an incident has changed and wants attention at `at` (null: never), or, if `incidentId` is null, that any
   * incident may have. Returns when to look. An incident in line is looked at `now`: what waits may be cancelled, or
   * may have company.
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

  /** The incident is in line, and wants attention at `at` for anything but its turns. */
  standsInLine(incidentId: string, at: number): void {
    this.#inLine.set(incidentId, at)
  }

  /** Nothing of the incident waits for a turn. It wants attention at `at`. */
  isOutOfLine(incidentId: string, at: number): void {
    this.#inLine.delete(incidentId)
    this.othersFrom(at)
  }

  /** An incident that is not in line may want attention from `at` on. */
  othersFrom(at: number): void {
    this.#othersAt = Math.min(this.#othersAt, at)
  }

  /** The clock was set: moments that it keeps move along, those of the others are asked for again. */
  shift(byMs: number): void {
    for (const [incidentId, at] of this.#inLine) this.#inLine.set(incidentId, at + byMs)
    this.#othersAt = 0
  }

  /** Incidents that want attention at `now`. Rejects with a StoreError. */
  async due(now: number): Promise<readonly string[]> {
    const inLine: string[] = []
    for (const [incidentId, at] of this.#inLine) {
      if (inLine.length === BATCH) break
      if (at <= now) inLine.push(incidentId)
    }
    return [...inLine, ...(await this.#othersDue(now))]
  }

  /** Milliseconds by which the most overdue incident is late, 0 if none is. Waiting for a turn is not being late. */
  async overdueMs(now: number): Promise<number> {
    const others = await this.#store.nextActionAt([...this.#inLine.keys()])
    return Math.max(0, now - Math.min(others ?? NEVER, this.#inLineAt()))
  }

  /** Turns come often, and the store need not be asked at each of them. */
  async #othersDue(now: number): Promise<readonly string[]> {
    // A clock that was set back must not keep it from asking.
    const sinceMs = Math.abs(now - this.#askedAt)
    if (sinceMs < this.#restMs || (now < this.#othersAt && sinceMs < ASK_EVERY_MS)) return []
    this.#askedAt = now
    this.#othersAt = NEVER
    const inLine = [...this.#inLine.keys()]
    const due = await this.#store.due(now, BATCH, inLine)
    // More are waiting behind a full batch.
    this.#restMs = due.length < BATCH ? Math.floor(inLine.length / IN_LINE_PER_REST_MS) : 0
    this.othersFrom(due.length > 0 ? now : ((await this.#store.nextActionAt(inLine)) ?? NEVER))
    return due
  }

  #inLineAt(): number {
    let earliest = NEVER
    for (const at of this.#inLine.values()) if (at < earliest) earliest = at
    return earliest
  }
}
