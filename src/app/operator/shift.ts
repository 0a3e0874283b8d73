import { hasDuties, onDutyAt } from '../../core/account/on-call.ts'
import { isoAt, isoOrNull } from '../../core/ingest/event-time.ts'
import {
  HAND_OVER_MS,
  type OnShift,
  offerStateOf,
  onShift,
  readsNote,
  SHIFT_NOTE_MS,
  type ShiftNote,
  type ShiftOffer,
  worksWith,
} from '../../core/operator/shift.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OnCallStore, OperatorStore, ShiftStore } from '../../ports/store.ts'
import type { IncidentDoor } from '../incident-door.ts'
import { rowBy } from './by.ts'
import type { Asker } from './incident-access.ts'
import { handedOver } from './shift-cases.ts'

type Refused<R extends string> = { readonly refused: R }

export type ShiftNeeds = {
  readonly store: ShiftStore & Pick<OnCallStore, 'onCall'> & Pick<OperatorStore, 'operators'>
  readonly door: Pick<IncidentDoor, 'change'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * The operators on shift, and the means to pass a shift on: offers to hand everything over, and notes. Only operators
 * with an account are on shift, because a token belongs to nobody. Rejects only with a StoreError. access.md#shifts.
 */
export function operatorShift({ store, door, clock }: ShiftNeeds) {
  const read = async () => {
    const [operators, spans] = await Promise.all([store.operators(), store.sessionSpans()])
    return { operators, present: onShift(operators, spans, clock.now()) }
  }

  /** The asking operator, if on shift, and everybody else on shift. */
  const asPresent = async ({ actor }: Asker) => {
    const { operators, present } = await read()
    return { operators, present, self: present.find(({ operator }) => operator.id === actor.id)?.operator ?? null }
  }

  const by = ({ actor, address }: Asker) => ({ actor, address, now: clock.now() })

  return {
    /** The caller's view of the shift: people they work with, their own offers, and notes on applications they see. */
    async view({ actor, grant }: Asker) {
      const [{ operators, present }, offers, notes, onCall] = await Promise.all([
        read(),
        store.handOvers(),
        store.shiftNotes(),
        store.onCall(),
      ])
      const now = clock.now()
      const named = (id: string) => ({ operatorId: id, name: operators.find((one) => one.id === id)?.name ?? id })
      const isHere = (id: string): boolean => present.some(({ operator }) => operator.id === id)
      return {
        onShift: present.filter(({ operator }) => worksWith(operator, grant)).map(presentView),
        handOvers: offers
          .filter((offer) => isShownTo(actor.id, offer, now) && isHere(offer.fromId))
          .map((offer) => handOverView(offer, named, now)),
        notes: notes
          .filter((note) => readsNote(grant, note) && now - note.at < SHIFT_NOTE_MS)
          .map(({ operatorId, at, text }) => ({ by: named(operatorId), at: isoAt(at), text })),
        ...(onCall && hasDuties(onCall) && { onCall: { name: onDutyAt(onCall, now).person?.name ?? null } }),
      }
    },

    /** Offers all of the caller's incidents to somebody on shift. Replaces an earlier offer. */
    async offer(asker: Asker, toId: string): Promise<{ readonly done: true } | Refused<'not_on_shift'>> {
      const { self, present } = await asPresent(asker)
      const to = present.find(({ operator }) => operator.id === toId)?.operator
      if (self === null || to === undefined || to.id === self.id || !worksWith(self, to)) {
        return { refused: 'not_on_shift' }
      }
      const row = rowBy(by(asker), { action: 'shift.hand_over', subject: toId, details: { to: to.name } })
      await store.offerHandOver({ fromId: self.id, toId, offeredAt: row.at }, row)
      return { done: true }
    },

    /**
     * Answers an offer. If accepted, the caller gets every incident of the giver that they may take; `left`: the number
     * of those in other applications, which stay.
     */
    async answer(
      asker: Asker,
      fromId: string,
      answer: 'accepted' | 'declined',
    ): Promise<{ readonly taken: number; readonly left: number } | Refused<'not_on_shift' | 'offer_over'>> {
      const { self, operators } = await asPresent(asker)
      if (self === null) return { refused: 'not_on_shift' }
      const from = operators.find(({ id }) => id === fromId)
      if (from === undefined) return { refused: 'offer_over' }
      const action = answer === 'accepted' ? 'shift.accept' : 'shift.decline'
      const row = rowBy(by(asker), { action, subject: fromId, details: { from: from.name } })
      const answered = await store.answerHandOver({ fromId, toId: self.id, answer, at: row.at }, row)
      if ('refused' in answered) return answered
      if (answer === 'declined') return { taken: 0, left: 0 }
      return handedOver({ store, door, clock }, { from, to: self, address: asker.address })
    },

    /** Withdraws the caller's own offer, or dismisses its result. */
    async withdraw(asker: Asker): Promise<{ readonly done: true } | Refused<'offer_over'>> {
      const removed = await store.removeHandOver(asker.actor.id, rowBy(by(asker), { action: 'shift.withdraw' }))
      return 'refused' in removed ? removed : { done: true }
    },

    /** Leaves a note to the next shift, replacing the caller's earlier one. */
    async keepNote(asker: Asker, text: string): Promise<{ readonly done: true } | Refused<'not_on_shift'>> {
      const { self } = await asPresent(asker)
      if (self === null) return { refused: 'not_on_shift' }
      const row = rowBy(by(asker), { action: 'shift.note' })
      await store.keepShiftNote({ operatorId: self.id, at: row.at, text, applications: self.applications }, row)
      return { done: true }
    },

    /** Deletes a note that somebody else has read, or its author withdraws. `at`: of the note as the caller sees it. */
    async confirmNote(
      asker: Asker,
      { operatorId, at }: Pick<ShiftNote, 'operatorId' | 'at'>,
    ): Promise<{ readonly done: true } | Refused<'shift_note_not_found'>> {
      const note = (await store.shiftNotes()).find((one) => one.operatorId === operatorId && one.at === at)
      if (note === undefined || !readsNote(asker.grant, note)) return { refused: 'shift_note_not_found' }
      const row = rowBy(by(asker), { action: 'shift.confirm', subject: operatorId })
      const removed = await store.removeShiftNote({ operatorId, at }, row)
      return 'refused' in removed ? removed : { done: true }
    },
  }
}

/** Offers are between two: the giver sees the result, the other one the offers that they can still answer. */
const isShownTo = (operatorId: string, offer: ShiftOffer, now: number): boolean =>
  offer.fromId === operatorId || (offer.toId === operatorId && offerStateOf(offer, now) === 'offered')

type Named = (operatorId: string) => { readonly operatorId: string; readonly name: string }

const handOverView = (offer: ShiftOffer, named: Named, now: number) => ({
  from: named(offer.fromId),
  to: named(offer.toId),
  offeredAt: isoAt(offer.offeredAt),
  endsAt: isoAt(offer.offeredAt + HAND_OVER_MS),
  state: offerStateOf(offer, now),
  answeredAt: isoOrNull(offer.answeredAt),
})

const presentView = ({ operator: { id, name }, seenAt }: OnShift) => ({
  operatorId: id,
  name,
  seenAt: isoAt(seenAt),
})

export type OperatorShift = ReturnType<typeof operatorShift>
