import { isCanary } from '../../core/account/canary.ts'
import { msOf } from '../../core/account/settings.ts'
import { type Delivery, isWaiting } from '../../core/incident/delivery.ts'
import { staysHere } from '../../core/incident/drill-shown.ts'
import { incidentIdOf } from '../../core/incident/escalation.ts'
import type { Incident } from '../../core/incident/incident.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type { Lane, LaneEntry, LeaveLine, Turn } from './lane.ts'
import type { Sender } from './sender.ts'

/**
 * The attempts of one incident that may leave, by id. Null: no turn is needed, because no lane applies or another
 * provider will take it.
 */
export type IncidentTurns = ReadonlyMap<string, Turn | null>

/**
 * Tracks which due attempts wait for their turn in a lane and which may leave. It holds only a few numbers per waiting
 * attempt and reads everything else again when the turn comes, so that a thousand incidents due at the same moment take
 * no more memory than their ids.
 */
export class Turns {
  /** Asked each time: its providers may be replaced. */
  readonly #sender: Pick<Sender, 'laneFor' | 'drillLaneFor'>
  readonly #onTurn: () => void
  /** From the moment an attempt is due until its claim is committed or it proves unwanted. */
  readonly #asked = new Map<string, LeaveLine>()
  readonly #come = new Map<string, Map<string, Turn | null>>()
  /** The attempts in `#asked` that yield to real incidents. */
  readonly #extras = new Set<string>()

  /** `onTurn`: called when a waiting attempt gets its turn. */
  constructor(sender: Pick<Sender, 'laneFor' | 'drillLaneFor'>, onTurn: () => void) {
    this.#sender = sender
    this.#onTurn = onTurn
  }

  /** Whether nothing of a real incident waits for its turn. */
  get isFree(): boolean {
    return this.#sender.laneFor === undefined
  }

  /** Whether the attempt waits for its turn or is about to leave. */
  isAsked = (row: Delivery): boolean => isWaiting(row) && this.#asked.has(row.id)

  /** Whether the attempt waits for its turn. */
  isWaiting(attemptId: string): boolean {
    return this.#asked.has(attemptId) && this.#come.get(incidentIdOf(attemptId))?.has(attemptId) !== true
  }

  /** Queues a due attempt. */
  ask(row: Delivery, incident: Incident, now: number): void {
    if (this.#asked.has(row.id)) return
    const lane = this.#laneOf(row, incident, now)
    if (isExtra(row, incident)) this.#extras.add(row.id)
    if (lane === null) {
      this.#asked.set(row.id, () => false)
      this.#comes(row.id, null)
      return
    }
    let isEntering = true
    const leave = lane.enter(placeOf(row, incident), (turn) => {
      this.#comes(row.id, turn)
      if (!isEntering) this.#onTurn()
    })
    this.#asked.set(row.id, leave)
    isEntering = false
  }

  #laneOf(row: Delivery, incident: Incident, now: number): Lane | null {
    // The outbox has no lane: neither the canary nor a drill that stays here takes a turn from an alarm.
    if (isCanary(incident.appId)) return null
    const { laneFor, drillLaneFor } = this.#sender
    const lane = () => laneFor?.(row, now) ?? null
    if (incident.drill === undefined) return lane()
    return isExtra(row, incident) ? (lane() ?? drillLaneFor?.(row.channel) ?? null) : null
  }

  /** Removes attempts that another node has claimed from the queue: their turns would be wasted. */
  leaveToOthers({ deliveries }: Incident): void {
    for (const { id, claim, status } of deliveries) {
      if (claim === null && (status === 'scheduled' || status === 'skipped')) continue
      if (this.#asked.get(id)?.() === true) this.#forget(id)
    }
  }

  /**
   * This node may not claim now, or the providers have changed: its attempts leave every queue, so that they take no
   * turns from the nodes that may, and turns already granted pass to those. Attempts that are still due have to be
   * asked for again.
   */
  standBack(): void {
    for (const leave of this.#asked.values()) leave()
    for (const turns of this.#come.values()) for (const turn of turns.values()) turn?.end()
    this.#asked.clear()
    this.#come.clear()
    this.#extras.clear()
  }

  /** Incidents with attempts whose turn has come. */
  incidents(): readonly string[] {
    return [...this.#come.keys()]
  }

  /** Takes the turns that have come for an incident. Call `settle` with them afterwards. */
  take(incidentId: string): IncidentTurns {
    const turns = this.#come.get(incidentId) ?? new Map()
    this.#come.delete(incidentId)
    return turns
  }

  /** Whether the turns granted to an incident yield to real incidents. */
  areExtra(incidentId: string): boolean {
    return [...(this.#come.get(incidentId)?.keys() ?? [])].some((attemptId) => this.#extras.has(attemptId))
  }

  /** Passes the turns granted to an incident on to others. Its attempts have to be asked for again. */
  yield(incidentId: string): void {
    this.settle(this.take(incidentId), () => false)
  }

  /** Ends a claim, whether committed or failed: turns of attempts that are not being sent are released. */
  settle(turns: IncidentTurns, isSending: (attemptId: string) => boolean): void {
    for (const [attemptId, turn] of turns) {
      this.#forget(attemptId)
      if (!isSending(attemptId)) turn?.end()
    }
  }

  #forget(attemptId: string): void {
    this.#asked.delete(attemptId)
    this.#extras.delete(attemptId)
  }

  #comes(attemptId: string, turn: Turn | null): void {
    const incidentId = incidentIdOf(attemptId)
    const turns = this.#come.get(incidentId) ?? new Map()
    this.#come.set(incidentId, turns.set(attemptId, turn))
  }
}

/** Whether it is an attempt of a drill that leaves this machine, which yields to alarms. preparing.md#drills. */
export const isExtra = ({ actuator }: Delivery, incident: Incident): boolean =>
  incident.drill !== undefined && (actuator !== 'emergency_contacts' || !staysHere(incident))

const placeOf = ({ purpose, attempt, leads, dueAt }: Delivery, { settings, drill }: Incident): LaneEntry => ({
  rank: rankOf({ purpose, first: attempt === 1 || leads === true, ...(drill && { drill }) }),
  since: dueAt,
  // Drills wait as long as alarms need the provider, which is not the provider's fault.
  longWaitMs: drill === undefined ? msOf(settings.ackTimeoutSeconds) : Number.POSITIVE_INFINITY,
  timeoutMs: null,
})

/**
 * The rank of a message. First messages of any incident go before repeats of another, and calls for help before
 * all-clears. Drills come after everything real. Verification messages go when nothing else waits.
 */
export function rankOf({ purpose, first, drill }: Pick<TextNotification, 'purpose' | 'first' | 'drill'>): number {
  if (purpose === 'verification') return 4
  if (drill !== undefined) return 3
  if (purpose === 'all_clear' || purpose === 'tell_others' || purpose === 'test' || purpose === 'reminder') return 2
  return purpose === 'alarm' && first ? 0 : 1
}
