import {
  decideAnswerHandOver,
  type SessionSpan,
  type ShiftNote,
  type ShiftOffer,
} from '../../../../core/operator/shift.ts'
import type { OwnedIncident, ShiftStore } from '../../../../ports/store.ts'
import type { SqliteDatabase } from '../engine/database.ts'
import { type WriteContext, writesOf } from '../engine/write.ts'
import { auditing } from './record-audit.ts'

const HAND_OVER = `SELECT from_id AS fromId, to_id AS toId, offered_at AS offeredAt, answer, answered_at AS answeredAt
  FROM hand_overs`

const shiftRows = ({ db }: WriteContext) => ({
  record: auditing(db),
  offered: db.prepare<[string], ShiftOffer>(`${HAND_OVER} WHERE from_id = ?`),
  offer: db.prepare<[string, string, number]>(
    'INSERT OR REPLACE INTO hand_overs (from_id, to_id, offered_at) VALUES (?, ?, ?)',
  ),
  answer: db.prepare<[string | null, number | null, string]>(
    'UPDATE hand_overs SET answer = ?, answered_at = ? WHERE from_id = ?',
  ),
  remove: db.prepare<[string]>('DELETE FROM hand_overs WHERE from_id = ?'),
  keepNote: db.prepare<[string, number, string, string | null]>(
    'INSERT OR REPLACE INTO shift_notes (operator_id, at, text, applications) VALUES (?, ?, ?, ?)',
  ),
  removeNote: db.prepare<[string, number]>('DELETE FROM shift_notes WHERE operator_id = ? AND at = ?'),
})

/** All of it is bounded by the number of operators, and works while the disk is full: an alarm may depend on it. */
export const shiftWrites = writesOf<ShiftStore>()(shiftRows, {
  offerHandOver: {
    reserve: 'uses',
    run({ offer, record }, { fromId, toId, offeredAt }, audit) {
      offer.run(fromId, toId, offeredAt)
      record(audit)
      return { offered: true }
    },
  },

  answerHandOver: {
    reserve: 'uses',
    run({ offered, answer, record }, given, audit) {
      const decided = decideAnswerHandOver(offered.get(given.fromId) ?? null, given)
      if ('refused' in decided) return decided
      answer.run(decided.update.answer, decided.update.answeredAt, given.fromId)
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
    run({ keepNote, record }, { operatorId, at, text, applications }, audit) {
      keepNote.run(operatorId, at, text, applications && JSON.stringify(applications))
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

type NoteRow = Omit<ShiftNote, 'applications'> & { readonly applications: string | null }

export function shiftReads(db: SqliteDatabase) {
  const spans = db.prepare<[], SessionSpan>(
    `SELECT operator_id AS operatorId, created_at AS createdAt, seen_at AS seenAt, expires_at AS expiresAt
     FROM operator_sessions`,
  )
  const offers = db.prepare<[], ShiftOffer>(`${HAND_OVER} ORDER BY from_id`)
  const notes = db.prepare<[], NoteRow>(
    'SELECT operator_id AS operatorId, at, text, applications FROM shift_notes ORDER BY at, operator_id',
  )
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
    shiftNotes: (): readonly ShiftNote[] =>
      notes.all().map((row) => ({ ...row, applications: row.applications && JSON.parse(row.applications) })),
    ownerIds: () => owners.all(),
    ownedIncidents: (ownerId: string, max: number) => owned.all(ownerId, max),
  }
}
