import type { AuditEntry } from '../core/operator/audit.ts'
import type { SessionSpan, ShiftNote, ShiftOffer } from '../core/operator/shift.ts'

export type OwnedIncident = { readonly incidentId: string; readonly appId: string; readonly userId: string }

/**
 * Offers and notes from one shift to the next. One offer and one note an operator, so that both are bounded by their
 * number. Each change stores its audit row in the same transaction.
 */
export type ShiftStore = {
  /** The sessions of all operators, those that have ended as well. */
  sessionSpans(): Promise<readonly SessionSpan[]>
  handOvers(): Promise<readonly ShiftOffer[]>
  shiftNotes(): Promise<readonly ShiftNote[]>

  /** In place of an earlier offer of the same operator. */
  offerHandOver(
    offer: Pick<ShiftOffer, 'fromId' | 'toId' | 'offeredAt'>,
    audit: AuditEntry,
  ): Promise<{ readonly offered: true }>
  /** `at`: epoch ms. Refused if the offer is gone, answered or lapsed. */
  answerHandOver(
    answer: Pick<ShiftOffer, 'fromId' | 'toId'> & { readonly answer: 'accepted' | 'declined'; readonly at: number },
    audit: AuditEntry,
  ): Promise<{ readonly answered: true } | { readonly refused: 'offer_over' }>
  /** Takes an offer back, or puts away its answer. */
  removeHandOver(
    fromId: string,
    audit: AuditEntry,
  ): Promise<{ readonly removed: true } | { readonly refused: 'offer_over' }>

  /** In place of an earlier note of the same operator. */
  keepShiftNote(note: ShiftNote, audit: AuditEntry): Promise<{ readonly kept: true }>
  /** `at`: of the note, so that a newer one stays. `audit`: null where it has only become too old. */
  removeShiftNote(
    note: Pick<ShiftNote, 'operatorId' | 'at'>,
    audit: AuditEntry | null,
  ): Promise<{ readonly removed: true } | { readonly refused: 'shift_note_not_found' }>

  /** Operators whose leaving matters to an open incident (`ownerIdOf`); tokens are among them. */
  ownerIds(): Promise<readonly string[]>
  /** Their open incidents, at most `max`. */
  ownedIncidents(ownerId: string, max: number): Promise<readonly OwnedIncident[]>
}
