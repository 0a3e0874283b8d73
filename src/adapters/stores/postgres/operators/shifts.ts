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
import type { ReadsOf } from '../../shared/writes.ts'
import type { Reader } from '../engine/reader.ts'
import { insertSql, updateSql } from '../engine/row.ts'
import { writesOf } from '../engine/write.ts'
import { recordAudit } from './record-audit.ts'

const OFFERED = `${HAND_OVERS} WHERE from_id = $1 FOR NO KEY UPDATE`
const OFFER = `${insertSql('hand_overs')} ${replacing('hand_overs')}`
const ANSWER = updateSql('hand_overs')
const KEEP_NOTE = `${insertSql('shift_notes')} ${replacing('shift_notes')}`

export const shiftWrites = writesOf<ShiftStore>()({
  offerHandOver: {
    async run(transaction, offered, audit) {
      await transaction.connection.run(OFFER, [JSON.stringify([newOffer(offered)])])
      await recordAudit(transaction, audit)
      return { offered: true }
    },
  },

  answerHandOver: {
    async run(transaction, given, audit) {
      const { connection } = transaction
      const [offer] = await connection.rows<ShiftOffer>(OFFERED, [given.fromId])
      const decided = decideAnswerHandOver(offer ?? null, given)
      if ('refused' in decided) return decided
      await connection.run(ANSWER, [JSON.stringify([decided.update])])
      await recordAudit(transaction, audit)
      return { answered: true }
    },
  },

  removeHandOver: {
    async run(transaction, fromId, audit) {
      const removed = await transaction.connection.run('DELETE FROM hand_overs WHERE from_id = $1', [fromId])
      if (removed === 0) return { refused: 'offer_over' }
      await recordAudit(transaction, audit)
      return { removed: true }
    },
  },

  keepShiftNote: {
    async run(transaction, note, audit) {
      await transaction.connection.run(KEEP_NOTE, [JSON.stringify([note])])
      await recordAudit(transaction, audit)
      return { kept: true }
    },
  },

  removeShiftNote: {
    async run(transaction, { operatorId, at }, audit) {
      const sql = 'DELETE FROM shift_notes WHERE operator_id = $1 AND at = $2'
      if ((await transaction.connection.run(sql, [operatorId, at])) === 0) return { refused: 'shift_note_not_found' }
      if (audit !== null) await recordAudit(transaction, audit)
      return { removed: true }
    },
  },
})

export const shiftReads = ({ rows }: Reader): ReadsOf<ShiftStore> => ({
  sessionSpans: () => rows<SessionSpan>(SESSION_SPANS),
  handOvers: () => rows<ShiftOffer>(`${HAND_OVERS} ORDER BY from_id`),
  shiftNotes: () => rows<ShiftNote>(SHIFT_NOTES),
  async ownerIds() {
    const sql = 'SELECT DISTINCT owner_id AS "ownerId" FROM incidents WHERE open AND owner_id IS NOT NULL'
    return (await rows<{ ownerId: string }>(sql)).map(({ ownerId }) => ownerId)
  },
  ownedIncidents: (ownerId, max) =>
    rows<OwnedIncident>(
      `SELECT id AS "incidentId", app_id AS "appId", user_id AS "userId" FROM incidents
       WHERE open AND owner_id = $1 ORDER BY number LIMIT $2`,
      [ownerId, max],
    ),
})
