import type { SendingNode } from '../../core/incident/command.ts'
import type { Committed } from '../../ports/store.ts'
import type { AttemptNeeds, Attempts } from './attempts.ts'
import { BusyIncidents } from './busy-incidents.ts'
import type { IncidentTurns, Turns } from './turns.ts'

export type ClaimRequest = {
  /** The attempts of the incident that are being sent. */
  readonly inFlight: readonly string[]
  /** Undefined if only one process can send. */
  readonly node: SendingNode | undefined
  /** Claims due attempts whether or not their turn has come, because none of the incident needs one. */
  readonly needsNoTurn: boolean
}

type DueClaimNeeds = Pick<AttemptNeeds, 'door' | 'clock' | 'log' | 'meter'> & {
  readonly attempts: Attempts
  readonly turns: Turns
  /** Leaves an incident due until `at` (epoch ms). It is late from now on, even if it was waiting for its turn. */
  readonly leaves: (incidentId: string, at: number) => void
}

/** Claims an incident's due attempts whose turn has come, through the write door, and has them sent. */
export class DueClaims {
  readonly #needs: DueClaimNeeds
  readonly #busy = new BusyIncidents()

  constructor(needs: DueClaimNeeds) {
    this.#needs = needs
  }

  /** Whether others were changing the incident just now, so that it is left alone for a moment. */
  areOff(incidentId: string): boolean {
    return this.#busy.has(incidentId, this.#needs.clock.now())
  }

  /** Whether any claims wait for incidents that others are changing. */
  get areWaiting(): boolean {
    return this.#busy.isWaiting
  }

  /** Resolves when the claims that wait now have been made, or have failed. */
  settled(): Promise<void> {
    return this.#busy.settled()
  }

  /** Makes a claim. True if something was claimed or changed. Rejects with a StoreError. */
  async make(incidentId: string, { inFlight, node, needsNoTurn }: ClaimRequest): Promise<boolean> {
    if (this.areOff(incidentId)) return false
    const { clock, door, attempts, turns } = this.#needs
    const taken = turns.take(incidentId)
    const sending = new Set<string>()
    const about = { ...(node && { node }), ...(!needsNoTurn && { turns: [...taken.keys()] }) }
    const claim = async (patience: { readonly isPatient?: true }): Promise<Committed> => {
      const command = { type: 'proceed', now: clock.now(), inFlight, ...about, ...patience } as const
      const committed = await door.change({ incidentId }, command)
      for (const { id } of committed.claimed) sending.add(id)
      attempts.follow(committed, taken)
      this.#countUnwanted(committed, taken)
      if (committed.busy !== undefined) this.#leave(incidentId)
      return committed
    }
    const settle = () => turns.settle(taken, (attemptId) => sending.has(attemptId))
    let isWaiting = false
    try {
      const { verdict, busy } = await claim({})
      const patiently = () => this.#unwatched(incidentId, () => claim({ isPatient: true })).finally(settle)
      isWaiting = busy !== undefined && this.#busy.waits(incidentId, busy.lateMs, patiently)
      return verdict !== 'unchanged'
    } finally {
      if (!isWaiting) settle()
    }
  }

  /** Makes a claim that no look waits for. */
  async #unwatched(incidentId: string, claim: () => Promise<unknown>): Promise<void> {
    try {
      await claim()
    } catch (err) {
      this.#needs.log.error({ incidentId, err }, 'could not claim a due attempt')
      this.#leave(incidentId)
    }
  }

  #leave(incidentId: string): void {
    this.#needs.leaves(incidentId, this.#busy.add(incidentId, this.#needs.clock.now()))
  }

  /**
   * Counts attempts that waited for their turn until the incident was acknowledged or cancelled. Metrics leave drills
   * out.
   */
  #countUnwanted(committed: Committed, turns: IncidentTurns): void {
    if (committed.incident?.drill !== undefined) return
    const waited = new Set([...turns].flatMap(([id, turn]) => (turn === null ? [] : id)))
    if (waited.size === 0) return
    for (const { id, channel, status } of committed.incident?.deliveries ?? []) {
      if (status !== 'skipped' || !waited.has(id)) continue
      this.#needs.meter.count('attempts_total', { channel, outcome: 'not_wanted' })
    }
  }
}
