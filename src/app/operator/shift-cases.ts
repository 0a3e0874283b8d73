import { entry } from '../../core/operator/audit.ts'
import type { Operator } from '../../core/operator/operator.ts'
import { mayDo } from '../../core/operator/role.ts'
import { type OnShift, onShift, SHIFT_NOTE_MS, type ShiftOffer } from '../../core/operator/shift.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IncidentStore, OperatorStore, ShiftStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'

/** Of one operator: more than anybody could hand over by looking at them. */
const MAX_CASES = 1_000
/** For how long after it was accepted a hand-over is finished that was cut short. */
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
  /** Whether this one is meant. Default: all are. */
  readonly isMeant?: (incidentId: string) => Promise<boolean>
}

/** Gives all that an operator has to another, each by itself. `left`: what the other may not take. */
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
 * Looks at what has ended since: cases of operators whose last session has ended are nobody's, unless they were handed
 * over, and notes that nobody has confirmed are too old. Whatever was done already is done again without harm, on any
 * node. Rejects only with a StoreError. rules.md#shifts.
 */
export async function settleShifts({ store, door, clock, isDateBelieved }: SettleNeeds): Promise<void> {
  const now = clock.now()
  if (isDateBelieved()) await forgetNotes(store, now)
  // Most of the time nobody has anything.
  if ((await store.ownerIds()).length === 0) return
  const [operators, spans, offers] = await Promise.all([store.operators(), store.sessionSpans(), store.handOvers()])
  const present = onShift(operators, spans, isDateBelieved() ? now : null)
  for (const offer of offers) await finished({ store, door, clock }, operators, offer)
  for (const ownerId of await store.ownerIds()) {
    // A token has no sessions, so none of them can end.
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

/** What was accepted is carried out, also where the node that began it has stopped. */
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
    // Not what the giver has taken since, or taken back, whatever the clock of another node says.
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
