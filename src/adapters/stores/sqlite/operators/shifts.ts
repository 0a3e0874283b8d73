import {
  decideAnswerHandOver,
  newOffer,
  type SessionSpan,
  type ShiftNote,
  type ShiftOffer,
} from '../../../../core/operator/shift.ts'
import type { OwnedIncident, ShiftStore } from '../../../../ports/store.ts'
import { replacing } from '../../shared/columns.ts'
import { HAND_OVERS, SESSION_SPANS, SHIFT_NOTES } from '../../shared/operators.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { fromRow, insertSql, type Row, toRow, updateSql } from '../engine/row.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

const offerRow = toRow<ShiftOffer>('hand_overs')
const noteRow = toRow<ShiftNote>('shift_notes')
const noteOf = fromRow<ShiftNote>('shift_notes')

const shiftRows = ({ db }: WriteContext) => ({
  record: auditing(db),
  offered: db.prepare<[string], ShiftOffer>(`${HAND_OVERS} WHERE from_id = ?`),
  offer: db.prepare<Row>(`${insertSql('hand_overs')} ${replacing('hand_overs')}`),
  answer: db.prepare<Row>(updateSql('hand_overs')),
  remove: db.prepare<[string]>('DELETE FROM hand_overs WHERE from_id = ?'),
  keepNote: db.prepare<Row>(`${insertSql('shift_notes')} ${replacing('shift_notes')}`),
  removeNote: db.prepare<[string, number]>('DELETE FROM shift_notes WHERE operator_id = ? AND at = ?'),
})

/** All of it is bounded by the number of operators, and works while the disk is full: an alarm may depend on it. */
export const shiftWrites = writesOf<ShiftStore>()(shiftRows, {
  offerHandOver: {
    reserve: 'uses',
    run({ offer, record }, offered, audit) {
      offer.run(offerRow(newOffer(offered)))
      record(audit)
      return { offered: true }
    },
  },

  answerHandOver: {
    reserve: 'uses',
    run({ offered, answer, record }, given, audit) {
      const decided = decideAnswerHandOver(offered.get(given.fromId) ?? null, given)
      if ('refused' in decided) return decided
      answer.run(offerRow(decided.update))
      record(audit)
      return { answered: true }
    },
  },

  removeHandOver: {
    reserve: 'uses',
    run({ remove, record }, fromId, audit) {
      if (remove.run(fromId).changes === 0) return { refused: 'offer_over' }
      record(audit)
      return { removed: true }
    },
  },

  keepShiftNote: {
    run({ keepNote, record }, note, audit) {
      keepNote.run(noteRow(note))
      record(audit)
      return { kept: true }
    },
  },

  removeShiftNote: {
    run({ removeNote, record }, { operatorId, at }, audit) {
      if (removeNote.run(operatorId, at).changes === 0) return { refused: 'shift_note_not_found' }
      if (audit !== null) record(audit)
      return { removed: true }
    },
  },
})

export function shiftReads(db: SqliteDatabase) {
  const spans = db.prepare<[], SessionSpan>(SESSION_SPANS)
  const offers = db.prepare<[], ShiftOffer>(`${HAND_OVERS} ORDER BY from_id`)
  const notes = db.prepare<[], Row>(SHIFT_NOTES)
  const owners = db
    .prepare<[], string>('SELECT DISTINCT owner_id FROM incidents WHERE open = 1 AND owner_id IS NOT NULL')
    .pluck()
  const owned = db.prepare<[string, number], OwnedIncident>(
    `SELECT id AS incidentId, app_id AS appId, user_id AS userId FROM incidents
     WHERE open = 1 AND owner_id = ? ORDER BY number LIMIT ?`,
  )
  return {
    sessionSpans: () => spans.all(),
    handOvers: () => offers.all(),
    shiftNotes: () => notes.all().map(noteOf),
    ownerIds: () => owners.all(),
    ownedIncidents: (ownerId: string, max: number) => owned.all(ownerId, max),
  }
}
