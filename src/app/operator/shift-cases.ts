import { entry } from '../../core/operator/audit.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { mayDo } from '../../core/operator/role.ts'
import { type OnShift, onShift, SHIFT_NOTE_MS, type ShiftOffer } from '../../core/operator/shift.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IncidentStore, OperatorStore, ShiftStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'

/** The most incidents of one operator: more than anybody could look at while handing over. */
const MAX_CASES = 1_000
/** How long after its acceptance an interrupted hand-over is still completed. */
const UNFINISHED_MS = 10 * MINUTE

type ShiftCaseNeeds = {
  readonly store: Pick<ShiftStore, 'ownedIncidents'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly clock: Pick<Clock, 'now'>
}

type Given = {
  readonly from: Operator
  readonly to: Operator
  readonly address: string | null
  /** Whether to hand over this incident. Default: all of them. */
  readonly isMeant?: (incidentId: string) => Promise<boolean>
}

/** Hands all incidents of an operator to another, one by one. `left`: the number that the other may not take. */
export async function handedOver(
  { store, door, clock }: ShiftCaseNeeds,
  { from, to, address, isMeant = async () => true }: Given,
): Promise<{ readonly taken: number; readonly left: number }> {
  let taken = 0
  let left = 0
  for (const { incidentId, appId, userId } of await store.ownedIncidents(from.id, MAX_CASES)) {
    if (!mayDo(to, 'incident.take', appId)) {
      left += 1
      continue
    }
    if (!(await isMeant(incidentId))) continue
    const now = clock.now()
    const actor = { kind: 'operator', id: to.id, name: to.name } as const
    const command = { type: 'takeOver', now, operatorId: to.id, name: to.name, from: from.id, agreed: true } as const
    const row = entry({ at: now, actor, address, action: 'incident.take_over', appId, userId, subject: incidentId })
    const { incident, verdict } = await door.change({ incidentId }, command, { ...row, details: { from: from.name } })
    if (incident !== null && verdict === 'changed') taken += 1
  }
  return { taken, left }
}

export type SettleNeeds = ShiftCaseNeeds & {
  readonly store: ShiftStore & Pick<OperatorStore, 'operators'> & Pick<IncidentStore, 'incident'>
  readonly isDateBelieved: () => boolean
}

/**
 * Settles the effects of ended sessions: incidents of operators whose last session has ended become nobody's, unless
 * they were handed over, and old unconfirmed notes are deleted. It can be repeated safely, on any node. Rejects only
 * with a StoreError. access.md#shifts.
 */
export async function settleShifts({ store, door, clock, isDateBelieved }: SettleNeeds): Promise<void> {
  const now = clock.now()
  if (isDateBelieved()) await forgetNotes(store, now)
  // Usually nobody has any.
  if ((await store.ownerIds()).length === 0) return
  const [operators, spans, offers] = await Promise.all([store.operators(), store.sessionSpans(), store.handOvers()])
  const present = onShift(operators, spans, isDateBelieved() ? now : null)
  for (const offer of offers) await finished({ store, door, clock }, operators, offer)
  for (const ownerId of await store.ownerIds()) {
    // A token has no sessions that could end.
    const owner = operators.find(({ id }) => id === ownerId)
    if (owner === undefined || present.some(({ operator }) => operator.id === ownerId)) continue
    await leftBehind({ store, door, clock }, owner, present)
  }
}

async function forgetNotes(store: Pick<ShiftStore, 'shiftNotes' | 'removeShiftNote'>, now: number): Promise<void> {
  for (const note of await store.shiftNotes()) {
    if (now - note.at >= SHIFT_NOTE_MS) await store.removeShiftNote(note, null)
  }
}

/** Completes an accepted hand-over, even if the node that began it has stopped. */
async function finished(
  needs: ShiftCaseNeeds & { readonly store: Pick<IncidentStore, 'incident'> },
  operators: readonly Operator[],
  { fromId, toId, answer, answeredAt }: ShiftOffer,
): Promise<void> {
  if (answer !== 'accepted' || answeredAt === null) return
  if (Math.abs(needs.clock.now() - answeredAt) > UNFINISHED_MS) return
  const [from, to] = [fromId, toId].map((id) => operators.find((one) => one.id === id))
  if (from === undefined || to === undefined) return
  const isMeant = async (incidentId: string): Promise<boolean> => {
    const takenBy = (await needs.store.incident(incidentId))?.incident.takenBy
    // Skips incidents that the giver has taken since, or got back, whatever another node's clock says.
    return takenBy != null && takenBy.at <= answeredAt && takenBy.from?.operatorId !== toId
  }
  await handedOver(needs, { from, to, address: null, isMeant })
}

async function leftBehind(
  { store, door, clock }: ShiftCaseNeeds,
  owner: Operator,
  present: readonly OnShift[],
): Promise<void> {
  const actor = { kind: 'operator', id: owner.id, name: owner.name } as const
  for (const { incidentId, appId, userId } of await store.ownedIncidents(owner.id, MAX_CASES)) {
    const now = clock.now()
    const isAlone = !present.some(({ operator }) => mayDo(operator, 'incident.take', appId))
    const row = entry({ at: now, actor, action: 'incident.left', appId, userId, subject: incidentId })
    await door.change({ incidentId }, { type: 'leave', now, operatorId: owner.id, isAlone }, row)
  }
}
